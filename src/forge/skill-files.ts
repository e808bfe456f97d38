/** The files of skill folders as the workspace writes them: what a change would do, doing it, and taking it back. */
import { existsSync } from "node:fs";
import path from "node:path";
import { openAudit } from "../guard/index.ts";
import type { BlobRef, Store } from "../journal/index.ts";
import { sha256, type Clock, must, projectFile } from "../kernel/index.ts";
import { gateByRule, openWorkspace, type FileRequest, type Workspace } from "../workspace/index.ts";
import { DEFAULT_SESSION, USER, type Payload } from "../protocol/events/index.ts";
import { forgeError } from "./forge-error.ts";
import type { SkillFiles } from "./read-skill.ts";
import { filesBelow } from "./files-below.ts";

export interface SkillHands {
  store: Store;
  clock: Clock;
  redact: (text: string) => string;
}

/** By the user's word, which the gate of the forge asked for; the act itself is audited. */
export function openSkillRoot({ store, clock, redact }: SkillHands, root: string): Workspace {
  const gate = gateByRule("the person approved the skill", ["read", "write"]);
  return openWorkspace({ root, gate, redact, clock, blobs: store.blobs });
}

export function auditSkill(
  { store, redact }: SkillHands,
  eventType: "skill_installed" | "skill_removed",
  folders: readonly string[],
): Promise<void> {
  return openAudit({ journal: store.journal, redact, actor: USER, sessionId: DEFAULT_SESSION }).record({
    category: "file",
    eventType,
    severity: "info",
    outcome: "allowed",
    action: eventType === "skill_installed" ? "install" : "remove",
    target: folders.join(", "),
    rule: "the person approved the skill",
  });
}

export function filesChecksum(files: SkillFiles): string {
  return sha256(
    Object.keys(files)
      .toSorted()
      .map((name) => `${name}\0${sha256(must(files[name]))}\n`)
      .join(""),
  );
}

const MAX_CHECKED_FILES = 1_000;
const MAX_OLD_FILES = 10_000;

/** Undefined when the folder is not there, or cannot be read whole. */
export function folderChecksum(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const below = filesBelow(folder, MAX_CHECKED_FILES);
  if (!below.whole) return undefined;
  const files: SkillFiles = {};
  for (const name of below.files) {
    const text = projectFile.text(folder, name);
    if (text === undefined) return undefined;
    files[name] = text;
  }
  return filesChecksum(files);
}

/** Makes a folder hold exactly these files. */
export async function requestsFor(workspace: Workspace, root: string, folder: string, files: SkillFiles): Promise<FileRequest[]> {
  const inside = (name: string): string => path.relative(root, path.join(folder, name));
  const writes = Object.entries(files).map(async ([name, text]): Promise<FileRequest> => {
    const expect = (await workspace.files.hash(inside(name))) ?? null;
    return { kind: "restore", path: inside(name), bytes: Buffer.from(text), expect };
  });
  const there = existsSync(folder) ? filesBelow(folder, MAX_OLD_FILES) : { files: [], whole: true };
  if (!there.whole) throw forgeError("E-CREATE-009", `${folder} holds more than ${MAX_OLD_FILES} files`);
  const gone = there.files.filter((name) => files[name] === undefined);
  return [...(await Promise.all(writes)), ...gone.map((name): FileRequest => ({ kind: "delete", path: inside(name) }))];
}

/** What a change would do, with the hashes before and after. */
export async function previewOf(
  workspace: Workspace,
  target: string,
  requests: readonly FileRequest[],
): Promise<Payload<"skill.installing">["files"][number][]> {
  const planned = await workspace.files.preview(requests);
  if (planned.kind === "unchanged") return [];
  if (planned.kind !== "planned") throw cannotWrite(target, planned);
  return planned.changes.map(({ path: file, before, after, mode }) => ({
    path: file,
    before,
    after,
    mode,
    ...(before === null ? {} : { snapshot: `blob:sha256:${before}` }),
  }));
}

export async function writeFiles(
  workspace: Workspace,
  target: string,
  requests: readonly FileRequest[],
  signal: AbortSignal,
): Promise<void> {
  const written = await workspace.files.apply(requests, signal);
  if (written.kind !== "changed" && written.kind !== "unchanged") throw cannotWrite(target, written);
}

function cannotWrite(target: string, problem: { kind: string; path?: string; reason?: string }): Error {
  const why = `${problem.path ?? ""} ${problem.reason ?? problem.kind.replaceAll("_", " ")}`.trim();
  return forgeError("E-CREATE-009", `${target}: ${why}; nothing was installed`, { details: { target } });
}

/** Brings back what stood there before; a file that someone changed since is left alone. Can be repeated. */
export async function takeBack(
  { store }: SkillHands,
  workspace: Workspace,
  files: readonly Payload<"skill.installing">["files"][number][],
  folders: readonly string[],
): Promise<void> {
  await workspace.files.sweep(files.map((file) => file.path));
  const requests: FileRequest[] = [];
  for (const { path: file, before, after, mode } of files) {
    const now = await workspace.files.hash(file);
    if (now === before || now !== after) continue;
    const ref: BlobRef = `blob:sha256:${before}`;
    if (before === null) requests.push({ kind: "delete", path: file, expect: now ?? undefined });
    else requests.push({ kind: "restore", path: file, bytes: await store.blobs.get(ref), mode, expect: now ?? null });
  }
  if (requests.length > 0) await writeFiles(workspace, "what was there", requests, new AbortController().signal);
  for (const folder of folders) await workspace.files.dropEmpty(folder);
}
