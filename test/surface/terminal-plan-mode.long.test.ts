/** Plan mode in a session: a sentence is planned, nothing is built or run, and building it is offered. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { KEYS, openHeadlessSession, type HeadlessSession } from "../support/headless-session.ts";
import { filesOf } from "../support/scripted-project.ts";
import { FILES, planOf, simplePiece, teamProject, type TeamProject } from "../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

async function toPlanMode(session: HeadlessSession): Promise<void> {
  await session.sees("ready");
  for (const mode of ["ask-edits", "accept-edits", "plan"]) {
    session.type(KEYS.cycle);
    await session.sees(new RegExp(`${mode}[^\\n]*$`, "u"));
  }
}

/** Its checks run where there is no sandbox too. */
async function trusted(here: TeamProject): Promise<void> {
  const app = await here.open();
  await app.trust.decide("yes");
  await app.close();
}

const typed = (session: HeadlessSession, text: string): void => {
  for (const letter of text) session.type(letter);
  session.type(KEYS.enter);
};

describe.each(["main", "full"] as const)("on the %s screen", (screen) => {
  const open = (here: TeamProject) =>
    openHeadlessSession(
      { dir: here.dir, env: { ...here.env, SYLK_TERMINAL_SCREEN: screen, SYLK_LLM_DEFAULT_MODEL: here.rules } },
      { rows: 70 },
    );

  test("a sentence is planned and shown, nothing is built; a yes later leaves the mode and builds it", async () => {
    const pieces = [simplePiece("loud")];
    const here = teamProject(planOf(pieces), pieces);
    await trusted(here);
    await using session = await open(here);
    await toPlanMode(session);
    session.say("add loud");
    await session.sees(/planned; nothing was built[\s\S]*n1 loud {2}\(A1\)[\s\S]*Build it\?/u);
    typed(session, "not now");
    await session.sees(/ · plan · ready$/u);
    expect(filesOf(here.dir)).toEqual(FILES);
    session.say("/resume");
    await session.sees(/› \/resume[\s\S]*Build it\?/u);
    typed(session, "build it");
    // The mode that counts is shown from the beginning of the building on.
    const building = await session.sees(/n1 the Tester writes[\s\S]* · working[^\n]*$/u);
    expect(building.slice(building.lastIndexOf("\n"))).not.toContain("plan");
    const asked = await session.sees(
      /Merge it into your folder\? 2 files, 5 lines added, 0 removed;[\s\S]*expand +show the change[\s\S]*needs you$/u,
    );
    expect(asked.slice(asked.lastIndexOf("Merge it into"))).not.toContain(" · plan ·");
    expect(asked).not.toContain("+export const loud");
    typed(session, "diff");
    await session.sees(/│ \+export const loud = [\s\S]*Merge it into your folder\?/u);
    typed(session, "yes");
    await session.sees(/done: every assertion has its evidence[\s\S]*ready$/u);
    expect(existsSync(path.join(here.dir, "src/loud.js"))).toBe(true);
  });

  test("a command of whoever plans runs only where it looks", async () => {
    const pieces = [simplePiece("loud")];
    const plans = (step: number, command: string): unknown => ({
      when: { role: "architect", step },
      answer: { text: "as said", tool_calls: [{ name: "run_command", input: { command } }] },
    });
    const here = teamProject(planOf(pieces), pieces, {}, [plans(1, "echo made > made.txt"), plans(2, "node -e 1")]);
    await using session = await open(here);
    await toPlanMode(session);
    session.say("add loud");
    await session.sees(/planned; nothing was built[\s\S]*Build it\?/u);
    expect(existsSync(path.join(here.dir, "made.txt"))).toBe(false);
    expect(readFileSync(path.join(here.dir, "src/trim.js"), "utf8")).toBe(FILES["src/trim.js"]);
    typed(session, "not now");
    await session.sees(/ · plan · ready$/u);
  });
});
