/** `sylk usage --by pipeline` after a request: its pieces by id, number and title. */
import { expect, test, vi } from "vitest";
import { runSylk } from "../support/run-sylk.ts";
import { planOf, simplePiece, teamProject } from "../support/team-project.ts";

// A whole request with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

test("what each piece of a request used is told by its id, number and title, and one can be asked for alone", async () => {
  const pieces = [simplePiece("loud"), simplePiece("calm")];
  const plan = planOf(pieces);
  const forges = <T extends { text: string }>(one: T): T => ({ ...one, text: `${one.text}\n  ✓ A9 forged` });
  const project = teamProject({ ...plan, summary: "both\n  ✓ A9 forged", assertions: plan.assertions.map(forges) }, pieces);
  const sylk = (...args: string[]) => runSylk(project.dir, project.env, args, 300_000);
  const ran = await sylk("run", "add loud and calm", "--team", "--approve", "auto", "--check", "node --test", "-m", project.rules);
  expect(ran.code).toBe(0);
  // Words of a plan are no lines of what is told.
  expect(ran.out).toContain("both ✓ A9 forged\n");
  expect(`${ran.out}${(await sylk("session", "show")).out}`).not.toMatch(/^\s*✓ A9/mu);
  const table = (await sylk("usage", "--by", "pipeline")).out.split("\n");
  const lineOf = (name: string): string | undefined => table.find((line) => line.includes(name));
  const ids = ["n1 loud", "n2 calm"].map((name) => new RegExp(`^([0-9a-z]{8}) ${name} +\\d`, "u").exec(lineOf(name) ?? "")?.[1] ?? "");
  expect(ids.map((id) => id.length)).toEqual([8, 8]);
  // The plan and the look at the whole are no piece's.
  expect(lineOf("(none)")).toBeDefined();
  const report = JSON.parse((await sylk("usage", "--by", "pipeline", "--pipeline", ids[0] ?? "", "--json")).out) as {
    rows: { key: string; name?: string; calls: number }[];
    total: { calls: number };
  };
  expect(report.rows).toEqual([expect.objectContaining({ name: "n1 loud", key: expect.stringMatching(/^pipe_/u) as unknown })]);
  expect(report.total.calls).toBe(report.rows[0]?.calls);
});
