/**
 * Uses hostile repositories as a person would, one after another in this process: makes each from its seed, runs the
 * commands in it, and tells one JSON line per repository with whatever went wrong.
 */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { execFileSync } from "node:child_process";
import { runCli } from "../../../src/surface/cli/run-cli.ts";
import { CANARY, FEATURES, namesIn, plainRepository, type Attack } from "./features.ts";

const [base = "", server = "", from = "0", to = "0"] = process.argv.slice(2);
const home = process.env["HOME"] ?? "";
const outside = path.join(base, "outside");
const rules = path.join(base, "rules.yaml");
/** Colours are off; tabs and line ends are all a terminal should be told. */
// oxlint-disable-next-line no-control-regex
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;

function numbers(seed: number): (below: number) => number {
  let state = (seed + 1) * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c_1b_3c_6d) + 0x9e_37_79_b9) >>> 0;
    return (state >>> 7) % below;
  };
}

function make(seed: number): { folder: string; features: string[] } {
  const folder = path.join(base, `r${seed}`, "clone");
  mkdirSync(folder, { recursive: true });
  plainRepository(folder);
  const pick = numbers(seed);
  const attack: Attack = { folder, outside, home, server, pick };
  const all = Object.keys(FEATURES);
  // Each feature leads some repositories; the rest are combinations.
  const features = [
    ...new Set([all[seed % all.length] as string, ...Array.from({ length: pick(4) }, () => all[pick(all.length)] as string)]),
  ];
  for (const name of features) FEATURES[name]?.(attack);
  if (pick(2) === 0) {
    // Tracked as far as git agrees to; the rest came in an archive.
    const git = (...args: string[]): void =>
      void execFileSync("git", ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-C", folder, ...args], {
        stdio: "ignore",
        timeout: 5_000,
      });
    try {
      git("-c", "filter.evil.process=", "-c", "filter.evil.clean=cat", "add", "-f", ".sylk");
      git("-c", "user.name=M", "-c", "user.email=m@example.org", "commit", "-q", "-m", "more");
    } catch {
      // Nothing to add.
    }
  }
  for (const name of namesIn(outside)) if (name.startsWith("ran-")) rmSync(path.join(outside, name));
  return { folder, features };
}

const said: string[] = [];
const written = process.stdout.write.bind(process.stdout);
const keep = ((text: string | Uint8Array, ...rest: unknown[]) => {
  said.push(typeof text === "string" ? text : Buffer.from(text).toString("utf8"));
  const told = rest.at(-1);
  if (typeof told === "function") told();
  return true;
}) as typeof process.stdout.write;

/** What a person types in a new clone. */
const commands = (folder: string): string[][] => [
  ["-C", folder, "init"],
  ["-C", folder, "search", "alpha"],
  ["-C", folder, "task", "start", "tidy alpha", "-m", `scripted/${rules}`, "--max-steps", "8"],
  ["-C", folder, "task", "resume", "last"],
  ["-C", folder, "task", "start", "say hi", "--max-steps", "2"],
  ["-C", folder, "task", "start", "tidy alpha", "-w", "-m", `scripted/${rules}`, "--max-steps", "8"],
  ["-C", folder, "task", "diff", "last"],
  ["-C", folder, "task", "merge", "last"],
  ["-C", folder, "task", "show", "last"],
];

process.setMaxListeners(0);
process.stdout.setMaxListeners(0);
for (let seed = Number(from); seed < Number(to); seed += 1) {
  const { folder, features } = make(seed);
  const before = namesIn(base).filter((name) => !name.startsWith(`r${seed}${path.sep}`) && !name.startsWith(`home${path.sep}sylk`));
  said.length = 0;
  const problems: string[] = [];
  for (const args of commands(folder)) {
    written(`${JSON.stringify({ seed, begins: args.slice(2).join(" ") })}\n`);
    process.stdout.write = keep;
    process.stderr.write = keep;
    const code = await runCli(args);
    process.stdout.write = written;
    const text = said.join("");
    said.length = 0;
    if (code === 1 && /unexpected|internal error/iu.test(text)) problems.push(`${args.slice(2).join(" ")}: ${text.slice(0, 400)}`);
    const raw = RAW.exec(text);
    if (raw !== null)
      problems.push(
        `raw U+${(raw[0].codePointAt(0) ?? 0).toString(16)} in \`${args.slice(2, 5).join(" ")}\`: ${JSON.stringify(text.slice(Math.max(0, raw.index - 60), raw.index + 40))}`,
      );
    for (const secret of [CANARY, "sk-ant-VICTIM", "sk-openai-VICTIM"])
      if (text.includes(secret)) problems.push(`${secret} shown by ${args.slice(2).join(" ")}`);
  }
  const after = namesIn(base).filter((name) => !name.startsWith(`r${seed}${path.sep}`) && !name.startsWith(`home${path.sep}sylk`));
  for (const name of after.filter((one) => !before.includes(one))) problems.push(`appeared: ${name}`);
  if (readFileSync(path.join(base, "secret.txt"), "utf8") !== `${CANARY}\n`) problems.push("secret.txt was changed");
  written(`${JSON.stringify({ seed, features, problems })}\n`);
  rmSync(path.join(base, `r${seed}`), { recursive: true, force: true });
}
