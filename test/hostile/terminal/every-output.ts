/** A task full of hostile words, and what any command then shows of it. */
import { ATTACK, hostileModel, hostileProject, rawIn } from "./hostile-words.ts";

export const MODEL = hostileModel([
  [{ name: "write_file", input: { path: "src/n\u001b[2Jew\u202e.txt", content: `text ${ATTACK}\n` } }],
  [
    { name: "read_file", input: { path: `src/none ${ATTACK.slice(0, 20)}` } },
    { name: "run_command", input: { command: `echo evilword > out.txt; false # ${ATTACK}` } },
  ],
  [{ name: "edit_file", input: { path: "src/plain.ts", find: `no ${ATTACK}`, replace: ATTACK } }],
  [{ name: `tool${ATTACK}`, input: { [ATTACK]: ATTACK } }],
  [{ name: "complete", input: { summary: `finished ${ATTACK}` } }],
]);

export interface Shown {
  /** Raw characters, by command. */
  raw: Record<string, string[]>;
  /** Commands in whose output hostile words stood as marks. */
  marked: number;
}

export async function showEverywhere(commands: readonly (readonly string[])[]): Promise<Shown> {
  const project = hostileProject(MODEL);
  const shown: Shown = { raw: {}, marked: 0 };
  const start = ["task", "start", `goal ${ATTACK}`, "--check", `true # ${ATTACK}`, "-m", project.rules, "--max-steps", "6"];
  for (const args of [start, ...commands]) {
    const { out, err } = await project.sylk(...args);
    if (/‹U\+202E›|␛/.test(out + err)) shown.marked += 1;
    const raw = [...rawIn(out), ...rawIn(err)];
    if (raw.length > 0) shown.raw[args.join(" ").slice(0, 60)] = raw;
  }
  return shown;
}
