/** `tree-setup.test.ts` goes on here with what takes longer. */
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { planOf, simplePiece, teamProject } from "../support/team-project.ts";
import { never, SETUP, opened, taskOf, lookingProject, setups } from "./tree-setup.ts";

// Whole requests with real trees and commands: a busy machine needs its time.
vi.setConfig({ testTimeout: 300_000 });

test("a command that fails, is not there or takes too long is an error that says why, and no task begins", async () => {
  const project = lookingProject({ "src/loud.js": "broken\n" });
  const said = async (env: Record<string, string>): Promise<unknown> => {
    const app = await opened(project, env);
    const error: unknown = await app.tasks.start(taskOf(project, "true")).then(
      () => "it began",
      (reason: unknown) => reason,
    );
    expect(await app.tasks.list()).toEqual([]);
    await app.close();
    return error;
  };
  const failed = (message: RegExp, fix: RegExp): object => ({
    code: "WORKTREE_SETUP_FAILED",
    message: expect.stringMatching(message) as string,
    fix: expect.stringMatching(fix) as string,
  });
  expect(await said({ SYLK_WORKTREE_SETUP: "node install.cjs" })).toMatchObject(
    failed(/`node install\.cjs` \(worktree\.setup\) ended with 7\n.*the lock file does not fit/su, /sylk config set worktree\.setup/u),
  );
  expect(await said({ SYLK_WORKTREE_SETUP: "no-such-program-here" })).toMatchObject(failed(/no-such-program-here/u, /./u));
  expect(await said({ SYLK_WORKTREE_SETUP: `node -e "setInterval(() => 0, 1000)"`, SYLK_WORKTREE_SETUP_TIMEOUT: "1s" })).toMatchObject(
    failed(/took longer than 1 s/u, /worktree\.setup_timeout/u),
  );
});

test("every tree of a request is made ready, those of its judges too; where a builder's change makes that fail the user is asked, and the next try goes on", async () => {
  const needsDep = `import { createRequire } from "node:module";\nimport { test } from "node:test";\ntest("dep is there", () => { createRequire(import.meta.url)("dep"); });\n`;
  const good = { "src/loud.js": "export const loud = (text) => `loud ${text}`;\n" };
  const piece = simplePiece("loud", { builds: [{ "src/loud.js": `// broken\n${good["src/loud.js"]}` }, good] });
  const project = teamProject(planOf([piece]), [piece], { ...SETUP, "test/dep.test.js": needsDep });
  const app = await opened(project, { SYLK_WORKTREE_SETUP: "node install.cjs" });
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  const waiting = await app.api.send({ type: "request.run", id });
  expect(waiting.status).toBe("needs_you");
  expect(waiting.questions[0]?.text).toMatch(/could not be made ready.*the lock file does not fit/su);
  await app.api.send({ type: "question.answer", id: waiting.questions[0]?.id ?? "", answer: { kind: "chosen", value: "retry" } });
  const done = await app.api.send({ type: "request.run", id });
  // `dep is there` fails wherever the command did not run.
  expect([done.status, done.work.map(({ state }) => state)]).toEqual(["done", ["merged"]]);
  expect(existsSync(path.join(project.dir, "node_modules"))).toBe(false);
  await app.close();
});

test("a project's own command counts only when the user trusts that text, and then only inside a sandbox", async () => {
  const project = lookingProject({ ".sylk/config.yaml": "worktree:\n  setup: node install.cjs\n" });
  const tried = async (env: Record<string, string> = {}): Promise<unknown> => {
    const app = await opened(project, env);
    try {
      const id = await app.tasks.start(taskOf(project, `node -e "require('dep')"`));
      await app.tasks.run(id, () => undefined, never);
      return { passed: (await app.tasks.show(id)).checks.map(({ passed }) => passed), rules: [...new Set(await setups(app))] };
    } catch (error) {
      return error;
    } finally {
      await app.close();
    }
  };
  expect(await tried()).toEqual({ passed: [false], rules: [] });
  const app = await opened(project, {});
  await app.trust.decide("yes");
  const { available } = await app.api.query({ type: "sandbox.status" });
  await app.close();
  const bare = { code: "WORKTREE_SETUP_FAILED", message: expect.stringContaining("there is no sandbox for it") as string };
  expect(await tried()).toMatchObject(available ? { passed: [true], rules: ["worktree.setup of a trusted folder"] } : bare);
  expect(await tried({ SYLK_SECURITY_SANDBOX_MODE: "off" })).toMatchObject(bare);
  writeFileSync(path.join(project.dir, ".sylk/config.yaml"), "worktree:\n  setup: node other.cjs\n");
  expect(await tried()).toMatchObject({ passed: [false] });
});
