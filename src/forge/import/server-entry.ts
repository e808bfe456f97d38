/**
 * One entry of another tool's list of MCP servers, in the words of this one. The tools call the same things by several
 * names; no two of them mean different things by one, so one reader understands them all.
 */
import { z } from "zod";
import { wording } from "../../kernel/index.ts";
import type { Reach } from "./things.ts";

const texts = z.record(z.string(), z.coerce.string()).optional();
const entrySchema = z.looseObject({
  type: z.string().optional(),
  command: z.union([z.string().min(1), z.array(z.string()).min(1)]).optional(),
  args: z.array(z.coerce.string()).optional(),
  env: texts,
  environment: texts,
  /** Names of variables that are handed on. */
  env_vars: z.array(z.string()).optional(),
  envFile: z.string().optional(),
  cwd: z.string().optional(),
  url: z.string().optional(),
  httpUrl: z.string().optional(),
  serverUrl: z.string().optional(),
  headers: texts,
  http_headers: texts,
  env_http_headers: texts,
  bearer_token_env_var: z.string().optional(),
  enabled: z.boolean().optional(),
  disabled: z.boolean().optional(),
});
type Entry = z.output<typeof entrySchema>;

const VARIABLE = "[A-Za-z_][A-Za-z0-9_]*";
/** How each of them writes a variable. */
const FORMS: readonly [RegExp, string][] = [
  [/\$\{workspaceFolder\}|\$\{CLAUDE_PROJECT_DIR\}/gu, "${SYLK_PROJECT_DIR}"],
  [/\$\{userHome\}/gu, "${HOME}"],
  [new RegExp(`\\$\\{env:(${VARIABLE})\\}`, "gu"), "${$1}"],
  [new RegExp(`(?<!\\$)\\{env:(${VARIABLE})\\}`, "gu"), "${$1}"],
  [new RegExp(`\\$(${VARIABLE})`, "gu"), "${$1}"],
];

const filled = (text: string): string => FORMS.reduce((now, [form, ours]) => now.replaceAll(form, ours), text);
type Fill = (text: string) => string;
const all = (given: Readonly<Record<string, string>> | undefined, fill: Fill): Record<string, string> =>
  Object.fromEntries(Object.entries(given ?? {}).map(([name, value]) => [name, fill(value)]));

export type ServerEntry = { reach: Reach; raw: Reach; note: string | undefined } | { why: string };

function headersOf({ headers, http_headers, env_http_headers, bearer_token_env_var: bearer }: Entry, fill: Fill): Record<string, string> {
  return {
    ...all(headers, fill),
    ...all(http_headers, fill),
    ...Object.fromEntries(Object.entries(env_http_headers ?? {}).map(([name, variable]) => [name, `\${${variable}}`])),
    ...(bearer === undefined ? {} : { Authorization: `Bearer \${${bearer}}` }),
  };
}

function reachOf(entry: Entry, fill: Fill): Reach | undefined {
  const [program, ...rest] = [entry.command ?? []].flat();
  if (program !== undefined)
    return {
      kind: "stdio",
      command: fill(program),
      args: [...rest, ...(entry.args ?? [])].map(fill),
      env: {
        ...all(entry.env, fill),
        ...all(entry.environment, fill),
        ...Object.fromEntries((entry.env_vars ?? []).map((name) => [name, `\${${name}}`])),
      },
    };
  const url = entry.httpUrl ?? entry.url ?? entry.serverUrl;
  return url === undefined ? undefined : { kind: "http", url: fill(url), headers: headersOf(entry, fill) };
}

export function readServerEntry(value: unknown): ServerEntry {
  const read = entrySchema.safeParse(value);
  if (!read.success) return { why: `cannot be understood: ${wording.issues(read.error)}` };
  const entry = read.data;
  if (entry.enabled === false || entry.disabled === true) return { why: "is switched off there" };
  if (entry.type === "sse") return { why: "speaks the older protocol over server-sent events, which is not spoken here" };
  const [reach, raw] = [reachOf(entry, filled), reachOf(entry, (text) => text)];
  if (reach === undefined || raw === undefined) return { why: "has neither a command nor an address" };
  if (JSON.stringify(reach).includes("{file:")) return { why: "takes a value from a file ({file:…}); write it down with `sylk mcp add`" };
  const notes = [
    ...(entry.cwd === undefined ? [] : ["starts in another folder here"]),
    ...(entry.envFile === undefined ? [] : ["set the variables of its envFile in your environment"]),
  ];
  return { reach, raw, note: notes.length === 0 ? undefined : notes.join("; ") };
}
