/** The fields a role's file holds: front matter and text of Markdown, or plain YAML. Each is checked for itself. */
import { parse } from "yaml";
import { messageOf, wording } from "../../kernel/index.ts";
import { roleFields, type RoleSpec } from "../../protocol/index.ts";
import type { RoleField, RoleProblem } from "./role-parts.ts";

export type RoleValues = Partial<Omit<RoleSpec, "id">>;

export interface RoleFile {
  values: RoleValues;
  problems: RoleProblem[];
}

const NAMES = Object.keys(roleFields);
const FRONT = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:\r?\n)?---[ \t]*(?:\r?\n|$)/;

function isField(name: string): name is RoleField {
  return Object.hasOwn(roleFields, name);
}

/** A problem without a field: nothing of the file counts. */
export function readRoleFile(file: string, text: string): RoleFile {
  const front = file.endsWith(".md") ? FRONT.exec(text) : undefined;
  const body = front === undefined ? "" : text.slice(front?.[0].length ?? 0).trim();
  try {
    const written = front === undefined ? text : (front?.[1] ?? "");
    const data: unknown = parse(written) ?? {};
    if (typeof data !== "object" || data === null || Array.isArray(data)) throw new Error("is not a list of fields");
    return checked(file, { ...data, ...(body === "" ? {} : { prompt: body }) });
  } catch (error) {
    return { values: {}, problems: [{ file, message: `cannot be read: ${messageOf(error).split("\n")[0]}` }] };
  }
}

function checked(file: string, data: Readonly<Record<string, unknown>>): RoleFile {
  const values: Record<string, unknown> = {};
  const problems: RoleProblem[] = [];
  for (const [field, value] of Object.entries(data)) {
    if (!isField(field)) {
      const near = wording.nearest(field, NAMES);
      problems.push({ file, field, message: `is no field of a role${near === undefined ? "" : `; did you mean ${near}?`}` });
      continue;
    }
    const read = roleFields[field].safeParse(value ?? undefined);
    if (read.success) values[field] = read.data;
    else problems.push({ file, field, message: `does not count: ${wording.issues(read.error)}` });
  }
  return { values, problems };
}
