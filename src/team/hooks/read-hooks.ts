/**
 * Every hook that is written down somewhere, and whether it counts: the user's own from the configuration, a
 * project's from its lists, which count as they were when the user trusted them. Read anew each time: a list, or a
 * script it names, that changed meanwhile does not count any more.
 */
import { z } from "zod";
import { projectFile, wording } from "../../kernel/index.ts";
import { HOOK_LISTS } from "../../guard/index.ts";
import { EVENT_RULES, HOOK_EVENTS, isHookEvent, type HookEvent } from "./hook-events.ts";

export interface Hook {
  event: string;
  /** As it was written; undefined: everything. */
  matcher: string | undefined;
  command: string;
  timeoutMs: number;
  from: "user" | "project";
  /** Where it is written. */
  file: string;
  /** Why it is not run. */
  idle: string | undefined;
}

/** A hook that is run. */
export interface UsableHook extends Hook {
  event: HookEvent;
  matches(name: string): boolean;
}

export interface HookSources {
  /** The user's own. */
  settings: () => HookSettings;
  userFile: string;
  projectDir: string;
  /** Whether the user trusts this text of a file, and what it names, as it would be used in a folder. */
  trusts: (file: string, text: string, folder?: string) => boolean;
}

const MAX_LIST_BYTES = 1024 * 1024;
const DEFAULT_TIMEOUT_S = 60;
const MAX_TIMEOUT_S = 600;

/** Each part is looked at by itself: one that is wrong does not take the others with it. */
const groupSchema = z.looseObject({ matcher: z.string().optional(), hooks: z.array(z.unknown()) });
const commandSchema = z.looseObject({
  type: z.literal("command", { error: "only hooks of the type command are known" }),
  command: z.string().min(1),
  timeout: z.number().positive().max(MAX_TIMEOUT_S).optional(),
});

export const hookSettingsSchema = z.record(
  z.string(),
  z.array(
    z.looseObject({
      matcher: z.string().optional(),
      hooks: z.array(z.looseObject({ type: z.string(), command: z.string().optional(), timeout: z.number().optional() })),
    }),
  ),
);
export type HookSettings = z.output<typeof hookSettingsSchema>;

type Place = Pick<Hook, "from" | "file"> & { idle: string | undefined };

/** `folder`: where they would run. */
export function readHooks(sources: HookSources, folder: string): Hook[] {
  const own = fromValue(sources.settings(), { from: "user", file: sources.userFile, idle: undefined });
  return [...own, ...HOOK_LISTS.flatMap((file) => fromList(sources, file, folder))];
}

export function usable(hooks: readonly Hook[], event: HookEvent): UsableHook[] {
  return hooks.flatMap((hook) => {
    if (hook.event !== event || hook.idle !== undefined) return [];
    const pattern = patternOf(hook.matcher);
    return pattern === undefined ? [] : [{ ...hook, event, matches: (name: string) => pattern.test(name) }];
  });
}

function fromList(sources: HookSources, file: string, folder: string): Hook[] {
  const read = projectFile.read(sources.projectDir, file, { maxBytes: MAX_LIST_BYTES });
  if (read.kind === "none") return [];
  const place: Place = { from: "project", file, idle: undefined };
  if (read.kind === "refused" || read.cut) return [broken(place, read.kind === "refused" ? read.reason : "is too large")];
  const trusted = sources.trusts(file, read.text, folder);
  const idle = trusted ? undefined : "not trusted, or changed since: `sylk trust` shows it and asks";
  try {
    const parsed = z.looseObject({ hooks: z.unknown().optional() }).safeParse(JSON.parse(read.text));
    return parsed.success ? fromValue(parsed.data.hooks ?? {}, { ...place, idle }) : [broken(place, "is not an object")];
  } catch {
    return [broken(place, "is not JSON")];
  }
}

const broken = (place: Place, why: string, event = "", command = ""): Hook => ({
  event,
  matcher: undefined,
  command,
  timeoutMs: DEFAULT_TIMEOUT_S * 1000,
  from: place.from,
  file: place.file,
  idle: why,
});

function fromValue(value: unknown, place: Place): Hook[] {
  const events = z.record(z.string(), z.array(z.unknown())).safeParse(value);
  if (!events.success) return [broken(place, wording.issues(events.error))];
  return Object.entries(events.data).flatMap(([event, groups]) => groups.flatMap((group) => fromGroup(event, group, place)));
}

function fromGroup(event: string, value: unknown, place: Place): Hook[] {
  const group = groupSchema.safeParse(value);
  if (!group.success) return [broken(place, wording.issues(group.error), event)];
  const { matcher, hooks } = group.data;
  return hooks.map((one) => {
    const hook = commandSchema.safeParse(one);
    if (!hook.success) return { ...broken(place, wording.issues(hook.error), event), matcher };
    const { command, timeout = DEFAULT_TIMEOUT_S } = hook.data;
    const idle = place.idle ?? unusable(event, matcher);
    return { event, matcher, command, timeoutMs: timeout * 1000, from: place.from, file: place.file, idle };
  });
}

function unusable(event: string, matcher: string | undefined): string | undefined {
  if (!isHookEvent(event)) return `there is no event ${wording.oneLine(event, 60)} here; there are ${HOOK_EVENTS.join(", ")}`;
  if (EVENT_RULES[event].matches === undefined || patternOf(matcher) !== undefined) return undefined;
  return "its matcher is no regular expression";
}

/** Whole names; nothing, or a star, is every name. */
function patternOf(matcher: string | undefined): RegExp | undefined {
  if (matcher === undefined || matcher === "" || matcher === "*") return /^/u;
  try {
    return new RegExp(`^(?:${matcher})$`, "u");
  } catch {
    return undefined;
  }
}
