/** Everything of one tool in one place, in the words of this one; nothing is decided or written here. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { systemPaths, wording } from "../../kernel/index.ts";
import { parseSkill } from "../read-skill.ts";
import { taskLists, taskPage } from "./open-tasks.ts";
import { roleText } from "./role-text.ts";
import { scopedRules } from "./scoped-rules.ts";
import { readServerEntry } from "./server-entry.ts";
import type { Source } from "./source.ts";
import { placeOf, plainName, type Brings, type Thing, type ThingKind } from "./things.ts";
import { LIST_KEYS, SERVER_KEYS, type Places } from "./tool-places.ts";

export interface Collecting {
  source: Source;
  places: Places;
  projectDir: string;
  /** Whether what stands there is read here as it is. */
  isReadHere: (file: string) => boolean;
}

const record = z.record(z.string(), z.unknown());
const recordOf = (value: unknown, key: string): Record<string, unknown> => {
  const outer = record.safeParse(value);
  const inner = record.safeParse(outer.data?.[key]);
  return inner.data ?? {};
};
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

class Collector {
  readonly #at: Collecting;
  readonly things: Thing[] = [];

  constructor(at: Collecting) {
    this.#at = at;
  }

  #add(kind: ThingKind, name: string, file: string, brings: Brings, note?: string): void {
    const { source } = this.#at;
    this.things.push({ kind, name, from: source.shown(file), scope: source.scope, brings, note });
  }

  /** Its text, unless it is not there, cannot be read, or is read here anyway. */
  #text(kind: ThingKind, name: string, file: string): string | undefined {
    const text = this.#at.source.text(file);
    if (text === undefined || (typeof text === "string" && text.trim() === "")) return undefined;
    if (this.#at.isReadHere(file)) this.#add(kind, name, file, { how: "used" });
    else if (typeof text !== "string") this.#add(kind, name, file, { how: "left", why: text.why });
    else return text;
    return undefined;
  }

  rules(file: string): void {
    const text = this.#text("rules", path.basename(file), file);
    if (text === undefined) return;
    const { scope } = this.#at.source;
    const note = scope === "user" && /(?:^|\s)@[\w~./-]+\.md/mu.test(text) ? "what it takes in by @ is not brought" : undefined;
    this.#add("rules", path.basename(file), file, { how: "file", to: placeOf.rules(scope), text }, note);
  }

  scopedRules(place: string): void {
    const { source, projectDir } = this.#at;
    const below = source.names(place, /\.(?:mdc|md)$/u).map((name) => path.join(place, name));
    this.things.push(...scopedRules(source, below.length > 0 ? below : [place], projectDir));
  }

  skills(folder: string): void {
    const { source, isReadHere } = this.#at;
    for (const name of source.skills(folder)) {
      const file = path.join(folder, name);
      const plain = plainName(name);
      const found = isReadHere(folder) ? undefined : source.skill(file);
      if (found === undefined) this.#add("skill", name, file, { how: "used" });
      else if ("why" in found) this.#add("skill", name, file, { how: "left", why: found.why });
      else this.#add("skill", plain, file, { how: "folder", to: placeOf.skill(source.scope, plain), ...found });
    }
  }

  commands(folder: string): void {
    const { source, isReadHere } = this.#at;
    for (const below of source.names(folder, /\.(?:md|toml)$/u)) {
      const file = path.join(folder, below);
      const name = below
        .replace(/\.(?:md|toml)$/u, "")
        .split("/")
        .map(plainName)
        .join("/");
      if (isReadHere(folder)) this.#add("command", name.replaceAll("/", ":"), file, { how: "used" });
      else if (below.endsWith(".toml")) this.#commandOf(name, file, this.#data("command", file));
      else {
        const text = this.#text("command", name, file);
        if (text !== undefined) this.#command(name, file, text);
      }
    }
  }

  #commandOf(name: string, file: string, value: unknown): void {
    const fields = record.safeParse(value).data ?? {};
    const said = textOf(fields["prompt"] ?? fields["template"]);
    if (said === "") return;
    const description = textOf(fields["description"]);
    const front = description === "" ? "" : `---\ndescription: ${JSON.stringify(description)}\n---\n\n`;
    this.#command(name, file, `${front}${said.replaceAll("{{args}}", "$ARGUMENTS").trim()}\n`);
  }

  #command(name: string, file: string, text: string): void {
    const note = /!`[^`]+`|!\{[^}]+\}/u.test(text) ? "what it runs with ! is text here" : undefined;
    this.#add("command", name.replaceAll("/", ":"), file, { how: "file", to: placeOf.command(this.#at.source.scope, name), text }, note);
  }

  #data(kind: ThingKind, file: string): unknown {
    const found = this.#at.source.data(file);
    if (found === undefined) return undefined;
    if ("value" in found) return found.value;
    this.#add(kind, path.basename(file), file, { how: "left", why: found.why });
    return undefined;
  }

  roles(folder: string): void {
    for (const below of this.#at.source.names(folder, /\.(?:md|toml)$/u)) {
      const file = path.join(folder, below);
      const name = path.basename(below).replace(/\.(?:md|toml)$/u, "");
      if (below.endsWith(".toml")) {
        const fields = record.safeParse(this.#data("role", file)).data;
        if (fields !== undefined) this.#role(textOf(fields["name"]) || name, file, fields, textOf(fields["developer_instructions"]));
      } else {
        const text = this.#text("role", name, file);
        if (text === undefined) continue;
        const { fields, body } = parseSkill(text);
        this.#role(textOf(fields["name"]) || name, file, fields, body);
      }
    }
  }

  #role(given: string, file: string, fields: Readonly<Record<string, unknown>>, body: string): void {
    const name = plainName(given);
    const text = roleText(fields, body);
    const { scope } = this.#at.source;
    const left = (why: string): void => this.#add("role", name, file, { how: "left", why });
    if (fields["disable"] === true) return left("is switched off there");
    if (text === undefined) return left("its text is empty, or longer than the 8,000 characters of a role");
    if (!/^[a-z][a-z0-9_-]{0,40}$/u.test(name) || ["all", "user"].includes(name)) return left("its name cannot be a role's here");
    if (shippedRoles().includes(name)) return left(`Sylk has a role of this name; docs/agents.md tells how to change it`);
    const note = scope === "project" ? "a role that only a project knows may read; a file of your own gives it more" : undefined;
    this.#add("role", name, file, { how: "file", to: placeOf.role(scope, name), text }, note);
  }

  list(file: string): void {
    const { source, isReadHere, projectDir } = this.#at;
    const value = this.#data("mcp_server", file);
    const servers = SERVER_KEYS.flatMap((key) => Object.entries(recordOf(value, key)));
    // What the user keeps for this project alone stands under the project's folder.
    const here = recordOf(recordOf(value, "projects"), projectDir);
    if (source.scope === "user") servers.push(...Object.entries(recordOf(here, "mcpServers")));
    for (const [given, entry] of servers) {
      const name = plainName(given);
      if (isReadHere(file)) this.#add("mcp_server", given, file, { how: "used" });
      else if (record.safeParse(entry).success) {
        const read = readServerEntry(entry);
        if ("why" in read) this.#add("mcp_server", name, file, { how: "left", why: read.why });
        else this.#add("mcp_server", name, file, { how: "server", reach: read.reach, raw: read.raw }, read.note);
      }
    }
    for (const [name, entry] of Object.entries(recordOf(value, LIST_KEYS.commands))) this.#commandOf(plainName(name), file, entry);
    for (const [name, entry] of Object.entries(recordOf(value, LIST_KEYS.roles))) {
      const fields = record.safeParse(entry).data ?? {};
      // One that only changes what ships there says nothing of itself.
      if (textOf(fields["prompt"]) !== "") this.#role(name, file, fields, textOf(fields["prompt"]));
    }
  }

  hooks(file: string): void {
    const value = this.#data("hooks", file);
    this.#permissions(value, file);
    const hooks = recordOf(value, "hooks");
    if (Object.keys(hooks).length === 0) return;
    this.#add("hooks", Object.keys(hooks).join(", "), file, this.#at.isReadHere(file) ? { how: "used" } : { how: "hooks", hooks });
  }

  /** Rules of another tool mean other things in part: a person says them anew, and hears which there are. */
  #permissions(value: unknown, file: string): void {
    const rules = recordOf(value, "permissions");
    for (const verb of ["allow", "deny", "ask"] as const) {
      const given = Array.isArray(rules[verb]) ? rules[verb].filter((rule) => typeof rule === "string") : [];
      if (given.length === 0) continue;
      const lines = given.flatMap((rule) => /^Bash\(([^()*:]+)\)$/u.exec(rule)?.[1] ?? []);
      const how = verb === "ask" ? "" : lines.map((line) => `; \`sylk permissions ${verb} ${wording.shellWord(line)}\``).join("");
      this.#add("permissions", `${verb}: ${given.join(", ")}`, file, {
        how: "left",
        why: `rules of another tool are not taken over${how === "" ? "; `sylk permissions` says how rules are written here" : how}`,
      });
    }
  }

  tasks(file: string): void {
    const value = this.#data("tasks", file);
    if (value === undefined) return;
    const { source } = this.#at;
    for (const list of taskLists(value)) {
      const name = list.tag === "" || list.tag === "master" ? "tasks" : `tasks-${plainName(list.tag)}`;
      const note = `${list.open.length} open, ${list.done} done or put off${list.strange === 0 ? "" : `, ${list.strange} cannot be understood`}`;
      const page = `.sylk/${name}.md`;
      const text = taskPage(source.shown(file), list, page);
      if (list.open.length === 0) this.#add("tasks", name, file, { how: "left", why: `nothing is open (${note})` });
      else this.#add("tasks", name, file, { how: "file", to: { root: "project", file: page }, text }, note);
    }
  }

  unfit([kind, file, why]: readonly [ThingKind, string, string]): void {
    const found = this.#at.source.data(file);
    if (found !== undefined && "value" in found && Object.keys(recordOf(found.value, "hooks")).length > 0)
      this.#add(kind, "hooks", file, { how: "left", why });
  }
}

function shippedRoles(): string[] {
  return readdirSync(systemPaths.shipped("agents")).map((name) => name.replace(/\.md$/u, ""));
}

export function collectThings(at: Collecting): Thing[] {
  const collector = new Collector(at);
  const { places } = at;
  for (const file of places.rules ?? []) collector.rules(file);
  for (const place of places.scopedRules ?? []) collector.scopedRules(place);
  for (const folder of places.skills ?? []) collector.skills(folder);
  for (const folder of places.commands ?? []) collector.commands(folder);
  for (const folder of places.roles ?? []) collector.roles(folder);
  for (const file of places.lists ?? []) collector.list(file);
  for (const file of places.hooks ?? []) collector.hooks(file);
  for (const file of places.tasks ?? []) collector.tasks(file);
  for (const one of places.unfit ?? []) collector.unfit(one);
  return collector.things;
}
