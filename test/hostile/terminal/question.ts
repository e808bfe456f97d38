/** What `question.test.ts` and its long form share. */
import { atTerminal, type Typed } from "../../support/terminal.ts";
import { hostileModel, hostileProject, SYLK, type Said } from "./hostile-words.ts";

export const done = [{ name: "complete", input: { summary: "done" } }];

const run = (command: string): { name: string; input: unknown } => ({ name: "run_command", input: { command } });

/** What Sylk and the prompt draw themselves: colours, cursor, erasing; nothing an attacker's text may hold. */
// oxlint-disable-next-line no-control-regex -- the sequences of the prompt itself
export const OWN = /\u001b\[(?:\d+(?:;\d+)*)?m|\u001b\[\?(?:25|7|2026)[lh]|\u001b\[(?:\d*[ABCDGJK]|999D)|\u001b\[\?2004[lh]|\r/g;

export async function asked(commands: readonly string[], typed: readonly Typed[], columns?: number) {
  const project = hostileProject(hostileModel([...commands.map((command) => [run(command)]), done]));
  // So that the first question is the one about the line.
  await project.sylk("trust", "--no");
  const argv = [...SYLK, "task", "start", "try", "-m", project.rules, "--max-steps", "4"];
  // Sylk's own title and bell are sequences too.
  const env = { ...project.env, SYLK_TERMINAL_TITLE: "false", SYLK_TERMINAL_NOTIFY: "false" };
  const seen = await atTerminal(argv, { cwd: project.dir, env, typed, columns });
  const sylk = (...args: string[]): Promise<Said> => project.sylk(...args);
  return { ...seen, project, sylk, own: seen.screen.replace(OWN, "") };
}

/** Whatever a line was broken at, and with what it goes on below. */
export const joined = (text: string): string => text.replaceAll(/[\s│┆\u2800]/gu, "");
