/** Through a whole request: what ran on the very same is not run again, and says so. Real runs are counted outside of the trees. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { systemClock } from "../../../src/kernel/index.ts";
import { openApp, type App } from "../../support/lab.ts";
import { planOf, simplePiece, teamProject, testOf } from "../../support/team-project.ts";
import { tempDir } from "../../support/temp.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

type Line = { name: string; command: string; passed: boolean; record?: string; as_run_at?: number };
type Project = ReturnType<typeof teamProject>;

const CHECK = "node check.mjs";

/** A check that writes down, outside, which files it finds, and then runs the tests. */
function counting(): { files: Record<string, string>; runs: () => string[] } {
  const log = path.join(tempDir("counted"), "runs.log");
  const check = `import { appendFileSync, readdirSync } from "node:fs";
import { spawnSync } from "node:child_process";
const names = [...readdirSync("src"), ...readdirSync("test")].filter((name) => !name.startsWith("trim"));
appendFileSync(${JSON.stringify(log)}, names.join(" ") + "\\n");
process.exit(spawnSync("node", ["--test"], { stdio: "inherit" }).status ?? 1);
`;
  return {
    files: { "check.mjs": check },
    runs: () => (existsSync(log) ? readFileSync(log, "utf8").replace(/\n$/u, "").split("\n") : []),
  };
}

// No sandbox: it would let no check write where it can be counted.
const opened = (project: Project): Promise<App> =>
  openApp({ cwd: project.dir, env: { ...project.env, SYLK_SECURITY_SANDBOX_MODE: "off" }, clock: systemClock });

async function judgedIn(app: App): Promise<{ lines: Line[]; evidence: string[]; records: string[] }> {
  const { position: until } = await app.api.query({ type: "journal.head" });
  const found = { lines: [] as Line[], evidence: [] as string[], records: [] as string[] };
  const types = ["request.judged", "check.ran"];
  for await (const { id, type, payload } of app.api.events({ types, until }, 0, new AbortController().signal)) {
    if (type === "check.ran") found.records.push(id);
    else {
      const { checks, evidence } = payload as { checks: Line[]; evidence: Record<string, string> };
      found.lines.push(...checks);
      found.evidence.push(...Object.values(evidence));
    }
  }
  return found;
}

test("one piece is checked on each of its states and no more; the whole and the user's folder cite what ran", async () => {
  const { files, runs } = counting();
  const pieces = [simplePiece("loud")];
  const project = teamProject(planOf(pieces), pieces, files);
  const app = await opened(project);
  const { id } = await app.api.send({ type: "request.start", options: project.options({ checks: [CHECK] }) });
  const end = await app.api.send({ type: "request.run", id });
  expect(end.status).toBe("done");
  // How it stood, the tests as they fail (by who wrote them; judged twice: it might have been chance), and the work that
  // makes them pass (by who built it, and judged).
  expect(runs()).toEqual(["", "loud.test.js", "loud.test.js", "loud.test.js", "loud.js loud.test.js", "loud.js loud.test.js"]);
  const { lines, evidence, records } = await judgedIn(app);
  expect(lines).toMatchObject([{ command: CHECK, passed: true, record: records.at(-1), as_run_at: expect.any(Number) as unknown }]);
  expect(evidence[0]).toMatch(/failed before and passes at \w+ \(node check\.mjs, as run at \d{4}-\S+Z \(evt_\w+\)\)$/u);
  expect(evidence[0]).toContain(records.at(-1));
  // Another request begins with nothing.
  const next = await app.api.send({ type: "request.start", options: project.options({ checks: [CHECK], approve: "plan-only" }) });
  await app.api.send({ type: "request.run", id: next.id });
  expect(runs().slice(6)).toEqual(["loud.js loud.test.js"]);
  await app.close();
});

test("tests that were held out are run with the work once: what was merged is what was judged", async () => {
  const { files, runs } = counting();
  const hidden = { "test/loud-more.test.js": testOf("more", "loud", "../src/loud.js", `assert.equal(loud("b"), "loud b")`) };
  const pieces = [simplePiece("loud", { hidden })];
  const project = teamProject(planOf(pieces), pieces, files);
  const app = await opened(project);
  const { id } = await app.api.send({ type: "request.start", options: project.options({ checks: [CHECK] }) });
  expect((await app.api.send({ type: "request.run", id })).status).toBe("done");
  await app.close();
  const all = "loud.js loud-more.test.js loud.test.js";
  expect(runs().filter((names) => names === all)).toHaveLength(1);
  expect(runs().filter((names) => names === "loud.js loud.test.js")).toHaveLength(1);
});

test("of two pieces the later is run on what both make, and the whole is not run again", async () => {
  const { files, runs } = counting();
  const pieces = [simplePiece("loud"), simplePiece("calm")];
  const project = teamProject(planOf(pieces), pieces, files);
  const app = await opened(project);
  const { id } = await app.api.send({ type: "request.start", options: project.options({ checks: [CHECK] }) });
  expect((await app.api.send({ type: "request.run", id })).status).toBe("done");
  await app.close();
  expect(runs().filter((names) => names.includes("loud.js") && names.includes("calm.js"))).toHaveLength(1);
  // Of each piece three on its tests and two on its work, the start, and what both make.
  expect(runs()).toHaveLength(12);
});

test("an assertion's command that is a check, and a request that goes on in another process: nothing is judged twice", async () => {
  const { files, runs } = counting();
  const pieces = [simplePiece("loud", { visible: {} })];
  const plan = planOf(pieces);
  const assertions = plan.assertions.map((one) => ({ ...one, shown_by: "command" as const, command: CHECK }));
  const project = teamProject({ ...plan, assertions }, pieces, files);
  const first = await opened(project);
  const { id } = await first.api.send({ type: "request.start", options: project.options({ checks: [CHECK], approve: "ask" }) });
  const planned = await first.api.send({ type: "request.run", id });
  await first.api.send({ type: "question.answer", id: planned.questions[0]?.id ?? "", answer: { kind: "chosen", value: "approve" } });
  const built = await first.api.send({ type: "request.run", id });
  await first.close();
  const second = await opened(project);
  await second.api.send({ type: "question.answer", id: built.questions[0]?.id ?? "", answer: { kind: "chosen", value: "yes" } });
  expect((await second.api.send({ type: "request.run", id })).status).toBe("done");
  const { lines, evidence } = await judgedIn(second);
  expect(lines.map(({ name, record }) => [name, record === lines[0]?.record])).toEqual([
    ["check", true],
    ["A1", true],
  ]);
  expect(evidence).toEqual([expect.stringMatching(/^`node check\.mjs` passes at \w+, as run at \S+ \(evt_\w+\)$/u)]);
  await second.close();
  // By who built it, and judged.
  expect(runs()).toEqual(["", "loud.js", "loud.js"]);
});
