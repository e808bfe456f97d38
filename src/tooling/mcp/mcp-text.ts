/** What a server answered, as text within bounds; what is no text is kept beside and named. */
import type { CallToolResult, GetPromptResult, ReadResourceResult } from "@modelcontextprotocol/client";

type Block = CallToolResult["content"][number];
type Contents = ReadResourceResult["contents"][number];

const LONG_LINE = 200;
const MAX_CHARS = 200_000;
const MAX_BLOB_BYTES = 8 * 1024 * 1024;

/** Keeps bytes and says under which name they can be found again. */
export type KeepBytes = (bytes: Uint8Array) => Promise<string>;

async function kept(base64: string, type: string | undefined, keep: KeepBytes): Promise<string> {
  const bytes = Buffer.from(base64, "base64");
  const what = `${type ?? "data"}, ${bytes.length} bytes`;
  return bytes.length > MAX_BLOB_BYTES ? `[${what}: too large to keep]` : `[${what}: ${await keep(bytes)}]`;
}

async function contentsText(contents: Contents, keep: KeepBytes): Promise<string> {
  if ("text" in contents && typeof contents.text === "string") return contents.text;
  return `${contents.uri} ${"blob" in contents && typeof contents.blob === "string" ? await kept(contents.blob, contents.mimeType, keep) : ""}`;
}

/** Data on one endless line could only be shown cut. */
function unfolded(text: string): string {
  if (text.length < LONG_LINE || text.includes("\n") || !/^\s*[[{]/u.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 1);
  } catch {
    return text;
  }
}

async function blockText(block: Block, keep: KeepBytes): Promise<string> {
  switch (block.type) {
    case "text":
      return unfolded(block.text);
    case "image":
    case "audio":
      return kept(block.data, block.mimeType, keep);
    case "resource_link":
      return `[resource ${block.uri}${block.description === undefined ? "" : `: ${block.description}`}]`;
    case "resource":
      return contentsText(block.resource, keep);
  }
}

/** What is longer is cut, and says so. */
function bounded(text: string): string {
  return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS)}\n[cut: ${text.length - MAX_CHARS} more characters]`;
}

async function callText({ content, structuredContent }: CallToolResult, keep: KeepBytes): Promise<string> {
  const said = await Promise.all(content.map((block) => blockText(block, keep)));
  const text = said.join("\n").trim();
  return bounded(text === "" && structuredContent !== undefined ? JSON.stringify(structuredContent, undefined, 1) : text);
}

async function resourceText({ contents }: ReadResourceResult, keep: KeepBytes): Promise<string> {
  return bounded((await Promise.all(contents.map((one) => contentsText(one, keep)))).join("\n"));
}

/** A prompt as words of the person who called it. */
async function promptText({ messages }: GetPromptResult, keep: KeepBytes): Promise<string> {
  return bounded((await Promise.all(messages.map(({ content }) => blockText(content, keep)))).join("\n\n"));
}

export const mcpText = { ofCall: callText, ofResource: resourceText, ofPrompt: promptText } as const;
