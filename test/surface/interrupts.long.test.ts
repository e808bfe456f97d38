/** Words to a request in the middle of its work, from a second terminal: how it stands, more is wanted, rest, go on, stop. */
import { setTimeout as wait } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { runSylk } from "../support/run-sylk.ts";
import { filesOf } from "../support/scripted-project.ts";
import { FILES, planOf, simplePiece, teamProject } from "../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

interface Stands {
  status: string;
  running: boolean;
  work: { id: string; state: string; doing?: { role: string } }[];
  plan?: { version: number };
}

test("ARC-024: while it is built somebody is told what it does and what takes so long, adds to it, suspends it, has it go on and stops it; each at once, with all that was done kept", async () => {
  const [loud, calm] = [simplePiece("loud"), simplePiece("calm")];
  const both = planOf([loud, calm]);
  const rule = (when: object, call: object, delay = 0): unknown => ({
    when,
    answer: { text: "as said", tool_calls: [call], delay_ms: delay },
  });
  // Nobody can wait for these: only an interruption ends them.
  const HOURS = 7_200_000;
  const project = teamProject(planOf([loud]), [loud, calm], {}, [
    rule({ role: "architect", text: "The person adds: and calm" }, { name: "submit_plan", input: both }),
    rule({ role: "engineer", text: "your part of it:\\ncalm\\n" }, { name: "complete", input: { summary: "never" } }, HOURS),
    rule(
      { role: "inspector", text: "your part of it:\\nloud\\n" },
      { name: "submit_review", input: { summary: "fine", findings: [] } },
      3_000,
    ),
  ]);
  const sylk = (...args: string[]) => runSylk(project.dir, { ...project.env, NO_COLOR: "1" }, args, 500_000);
  const until = async (holds: (stands: Stands) => boolean): Promise<Stands> => {
    for (;;) {
      const { code, out } = await sylk("session", "show", "--json");
      const stands = code === 0 ? (JSON.parse(out) as Stands) : undefined;
      if (stands !== undefined && holds(stands)) return stands;
      await wait(300);
    }
  };
  const stateOf = ({ work }: Stands, id: string) => work.find((piece) => piece.id === id)?.state;

  const first = sylk("run", "add loud", "--approve", "auto", "--team", "--check", "node --test", "-m", project.rules);
  await until(({ work }) => work[0]?.doing?.role === "engineer");
  expect((await sylk("session", "add", "and calm")).code).toBe(0);
  await until((stands) => stateOf(stands, "n1") === "merged" && stands.work.find(({ id }) => id === "n2")?.doing?.role === "engineer");
  const told = (await sylk("session", "show")).out;
  expect(told).toMatch(/✓ n1 loud {2}merged/u);
  expect(told).toMatch(/▸ n2 calm {2}building {2}(\d+ m )?\d+ s {2}engineer, step 1/u);
  expect(told).toMatch(/^(\d+ m )?\d+ s so far, models took (\d+ m )?\d+ s/mu);

  expect((await sylk("session", "pause")).code).toBe(0);
  expect((await first).code).toBe(4);
  const rests = await until(({ running }) => !running);
  expect(rests).toMatchObject({ status: "paused", plan: { version: 2 } });
  expect(stateOf(rests, "n1")).toBe("merged");

  const second = sylk("session", "resume");
  await until((stands) => stands.running && stateOf(stands, "n2") === "green");
  expect((await sylk("session", "stop")).code).toBe(0);
  expect((await second).code).toBe(1);
  expect(await until(({ running }) => !running)).toMatchObject({ status: "cancelled" });
  expect(filesOf(project.dir)).toEqual(FILES);
});
