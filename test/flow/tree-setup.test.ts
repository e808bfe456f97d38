/** What makes work trees ready (`worktree.setup`): in trees of tasks, of pieces and of judges, by real commands. */
import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { never, opened, taskOf, lookingProject, setups } from "./tree-setup.ts";

// Whole requests with real trees and commands: a busy machine needs its time.
vi.setConfig({ testTimeout: 300_000 });

test("a task's work tree is made ready by the user's command, inside the tree and told its name, and it is on record", async () => {
  const project = lookingProject();
  const app = await opened(project, { SYLK_WORKTREE_SETUP: "node install.cjs" });
  const id = await app.tasks.start(taskOf(project, `node -e "process.exit(require('dep') === process.env.SYLK_WORKTREE ? 0 : 1)"`));
  await app.tasks.run(id, () => undefined, never);
  expect((await app.tasks.show(id)).checks.map(({ passed }) => passed)).toEqual([true]);
  expect(existsSync(path.join(project.dir, "node_modules"))).toBe(false);
  expect((await setups(app))[0]).toBe("the user's own worktree.setup");
  await app.close();
});

test("where the user wants no processes on record it is not there, and runs all the same", async () => {
  const project = lookingProject();
  const app = await opened(project, { SYLK_WORKTREE_SETUP: "node install.cjs", SYLK_SECURITY_AUDIT_LOG_PROCESS_EXEC: "false" });
  const id = await app.tasks.start(taskOf(project, `node -e "require('dep')"`));
  await app.tasks.run(id, () => undefined, never);
  expect((await app.tasks.show(id)).checks.map(({ passed }) => passed)).toEqual([true]);
  expect(await setups(app)).toEqual([]);
  await app.close();
});

test("the user's own command is inside the sandbox where there is one: what it starts may be an agent's text", async () => {
  for (const mode of ["auto", "off"]) {
    const project = lookingProject();
    const outside = path.join(project.base, "outside");
    const app = await opened(project, {
      SYLK_SECURITY_SANDBOX_MODE: mode,
      SYLK_WORKTREE_SETUP: `node -e "try { require('fs').writeFileSync('${outside}', '') } catch {}"`,
    });
    await app.tasks.start(taskOf(project, "true"));
    const { available } = await app.api.query({ type: "sandbox.status" });
    expect(existsSync(outside)).toBe(mode === "off" || !available);
    await app.close();
  }
});
