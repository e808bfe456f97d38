/** What an attacker writes wherever he may write, and a project full of it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { stringify } from "yaml";
import { scriptedProject, type ScriptedProject } from "../../support/scripted-project.ts";
import { runSylk } from "../../support/run-sylk.ts";
import { MAIN } from "../../support/built-command.ts";

/** Title, link, clipboard, clear, cursor up, C1 colour, right-to-left, zero width, delete, backspace, tag. */
export const ATTACK = [
  "\u001b]0;owned\u0007",
  "\u001b]8;;http://evil.example\u0007here\u001b]8;;\u0007",
  "\u001b]52;c;ZXZpbA==\u0007",
  "\u001b[2J\u001b[1A\u001b[2K",
  "\u009b31m\u0085",
  "\u202egpj.exe\u2066\u200f",
  "z\u200be\u200dr\u2060o\ufeff",
  "\u007f\u0008\u{e0041}",
].join("");

/** Everything a terminal would obey or not show; lines and tabs are welcome. */
const RAW = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u200b-\u200d\u2060\ufeff\u{e0000}-\u{e007f}]/gu;

/** Raw characters left in an output, by code point. */
export function rawIn(text: string): string[] {
  return [...new Set(text.match(RAW) ?? [])].map((c) => `U+${c.codePointAt(0)?.toString(16)}`);
}

export const SYLK: readonly string[] = [process.execPath, MAIN];

export interface Said {
  code: number;
  out: string;
  err: string;
}

export type Call = { name: string; input: unknown };

/** One answer a step, each with hostile words around its calls. */
export function hostileModel(steps: readonly (readonly Call[])[]): string {
  return stringify({
    rules: steps.map((calls, i) => ({
      when: { step: i + 1 === steps.length ? `>=${i + 1}` : i + 1 },
      answer: { text: `looking ${ATTACK} step ${i + 1}`, tool_calls: calls },
    })),
  });
}

const FILE_NAME = "src/na\u001b[2Jme\u202etxt\u009b.ts";

export function hostileProject(model: string): ScriptedProject & { sylk(...args: string[]): Promise<Said> } {
  const project = scriptedProject(
    {
      "src/plain.ts": `/** evilword ${ATTACK} */\nexport function evilword() {\n  return 1;\n}\n`,
      [FILE_NAME]: `export const evilword2 = "evilword ${ATTACK}";\n`,
      "README.md": `# evilword ${ATTACK}\n\nwords about evilword ${ATTACK}\n`,
      "package.json": JSON.stringify({ name: `n${ATTACK}`, scripts: { test: `true # ${ATTACK}`, [`b${ATTACK}`]: "true" } }),
      "AGENTS.md": `# Rules ${ATTACK}\n`,
      ".agents/skills/evil-skill/SKILL.md": `---\nname: evil-skill\ndescription: "does ${JSON.stringify(ATTACK).slice(1, -1)}"\n---\n# evil ${ATTACK}\n`,
      ".sylk/config.yaml": `"no${JSON.stringify(ATTACK).slice(1, -1)}": 1\n`,
    },
    model,
  );
  const git = (...args: string[]): unknown =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], { cwd: project.dir, stdio: "ignore" });
  git("add", "-A");
  git("commit", "-q", "-m", `evilword commit ${ATTACK}`, "--author", `Mallory ${ATTACK.replaceAll("\u0000", "")} <m@example.com>`);
  mkdirSync(project.env["SYLK_HOME"] as string, { recursive: true });
  writeFileSync(path.join(project.dir, "src/plain.ts"), `// evilword changed ${ATTACK}\nexport function evilword() {}\n`);
  return {
    ...project,
    sylk: (...args) => runSylk(project.dir, project.env, args),
  };
}
