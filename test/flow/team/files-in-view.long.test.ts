/** What whoever works on a piece sees before it looked anywhere: the files of the plan, and those its goal names. */
import { expect, onTestFinished, test, vi } from "vitest";
import { planOf, simplePiece, teamProject } from "../../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

test("files that the plan or the goal of a piece names are in view at the first step of Tester and Engineer: small ones whole, a long one as far as there is room", async () => {
  const pieces = [simplePiece("loud")];
  const plan = planOf(pieces);
  const nodes = plan.nodes.map((node) => ({
    ...node,
    goal: "add loud as `docs/style.md` says; see src/long.js, ../outside.js and no/such.js",
    files: [...node.files, "src/trim.js"],
  }));
  const long = Array.from({ length: 2_000 }, (_, i) => `export const line${i} = ${i};`).join("\n");
  const project = teamProject({ ...plan, nodes }, pieces, { "docs/style.md": "# Style\nShort words only.\n", "src/long.js": `${long}\n` });
  const app = await project.open();
  onTestFinished(() => app.close());
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  expect((await app.api.send({ type: "request.run", id })).status).toBe("done");
  for (const role of ["tester", "engineer"]) {
    const task = (await app.tasks.list()).find((one) => one.role === role);
    const { user } = await app.tasks.context(task?.id ?? "", 1);
    expect([role, user.match(/^## It is about .+$/gmu)]).toEqual([
      role,
      ["## It is about src/trim.js", "## It is about docs/style.md", "## It is about src/long.js"],
    ]);
    expect(user).toContain("Short words only.");
    expect(user).toContain("export const line0 = 0;");
    expect(user).not.toContain("export const line1999");
    expect(user).toContain("… read_file shows the rest");
  }
});
