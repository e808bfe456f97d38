/**
 * The attacker sends a cassette. What the victim plays is built and tested in a copy, with a home of its own. He wants its
 * code to see what the victim's settings hide from commands, and the victim's own keys and records.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { runSylk } from "../../support/run-sylk.ts";
import { NO_SANDBOX } from "../../support/sandboxed.ts";
import { planOf, simplePiece, teamProject } from "../../support/team-project.ts";
import { tempDir } from "../../support/temp.ts";

// A whole request with real trees and tests, twice.
vi.setConfig({ testTimeout: 400_000 });

test.skipIf(NO_SANDBOX !== undefined)("code of a cassette sees nothing that is hidden from the victim's commands", async () => {
  const pieces = [simplePiece("alpha")];
  const project = teamProject(planOf(pieces), pieces);
  // The temporary folder is hidden in any case.
  const [home, hidden] = [tempDir("sylk-home", "/var/tmp"), tempDir("sylk-hidden", "/var/tmp")];
  const env = { ...project.env, SYLK_HOME: home, NO_COLOR: "1" };
  const sylk = (...args: string[]) => runSylk(project.dir, env, args, 300_000);
  mkdirSync(path.join(home, "data"), { recursive: true });
  writeFileSync(path.join(home, "data/key"), "k");
  writeFileSync(path.join(hidden, "key"), "k");
  writeFileSync(path.join(home, "config.yaml"), `security: { sandbox: { hidden: ["${hidden}"] } }\n`);
  const options = ["--check", "node --test", "--approve", "auto", "--team", "-m", project.rules];
  expect(await sylk("run", "add the functions, and never touch trim", "--constraint", "no new dependencies", ...options)).toMatchObject({
    code: 0,
  });
  const tape = path.join(project.base, "tape.yaml");
  expect(await sylk("record", "-o", tape)).toMatchObject({ code: 0 });
  expect(await sylk("trust", "--yes")).toMatchObject({ code: 0 });

  const line = "export const alpha = (text) =>";
  const text = readFileSync(tape, "utf8");
  expect(text).toContain(line);
  const looks = (place: string): string =>
    "if (process.getBuiltinModule(`fs`).existsSync(`PLACE`)) throw new Error(`seen`);".replace("PLACE", place);
  const play = async (place: string): Promise<unknown> => {
    writeFileSync(tape, text.replaceAll(line, `${looks(place)} ${line}`));
    const { out } = await sylk("replay", tape, "--allow", "line:node --test", "--json");
    return (JSON.parse(out.trim().split("\n").at(-1) ?? "") as { different: unknown }).different;
  };
  const onlyChanged = ["src/alpha.js: other content"];
  // What can be seen is noticed.
  expect(await play("/usr/bin/env")).toContain("it ended done when it was recorded, now it is needs_you");
  expect(await play(path.join(hidden, "key"))).toEqual(onlyChanged);
  expect(await play(path.join(home, "data/key"))).toEqual(onlyChanged);
});
