/** Goes through the options of a program by a list of those that are known. One that is not known ends the following. */
import { must } from "../../kernel/index.ts";
import { takeNamed, type Behind, type Run, type Word } from "./behind.ts";
import { takeModule } from "./modules.ts";

export interface KnownOptions {
  /** Options without a value, or with a glued one that says nothing about what runs. */
  flags: RegExp;
  /** A value that says nothing about what runs: the next word, where it is not glued. */
  valued: RegExp;
  /** Loads a module of the project. */
  loads?: RegExp;
  /** Reads a file that may name programs. */
  files?: RegExp;
}

export interface Walked {
  /** From the first word that is no option. */
  rest: readonly Word[];
  has: (name: string) => boolean;
  values: ReadonlyMap<string, string>;
}

/** Undefined when something was not known; the reason is said. */
export function walkOptions(behind: Behind, { name, args, stand }: Run, known: KnownOptions): Walked | undefined {
  const seen = new Map<string, string>();
  const done = (at: number): Walked => ({ rest: args.slice(at), has: (option) => seen.has(option), values: seen });
  for (let at = 0; at < args.length; at += 1) {
    const word = must(args[at]);
    const text = word.value ?? word.leading;
    if (word.value === undefined && (word.splits || !text.startsWith("-"))) {
      if (word.splits || text === "") behind.cannot(`${word.source} of ${name} is decided when it runs`);
      return word.splits || text === "" ? undefined : done(at);
    }
    if (text === "--") return done(at + 1);
    if (!text.startsWith("-") || text === "-") return done(at);
    const equals = text.startsWith("--") ? text.indexOf("=") : -1;
    const option = equals === -1 ? text : text.slice(0, equals);
    const glued = equals === -1 ? undefined : { ...word, value: word.value?.slice(equals + 1) };
    const value = (): Word | undefined => glued ?? args[(at += 1)];
    if (known.loads?.test(option) === true) takeModule(behind, value(), stand);
    else if (known.files?.test(option) === true) takeNamed(behind, value(), stand);
    else if (known.valued.test(option)) seen.set(option, value()?.value ?? "");
    else if (known.flags.test(option)) seen.set(option, "");
    else {
      behind.cannot(`the option ${option} of ${name} is not one that is known`);
      return undefined;
    }
  }
  return done(args.length);
}
