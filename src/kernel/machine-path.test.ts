import { mkdirSync, realpathSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/temp.ts";
import { machinePath } from "./machine-path.ts";

test("folders of a project, by whatever name, and relative ones are not the machine's", () => {
  const base = realpathSync(tempDir("machine-path"));
  const project = path.join(base, "project");
  for (const dir of ["project/.venv/bin", "project-tools/bin"]) mkdirSync(path.join(base, dir), { recursive: true });
  symlinkSync(project, path.join(base, "link"));
  symlinkSync(path.join(project, ".venv/bin"), path.join(base, "venv"));
  symlinkSync(path.join(base, "project-tools/bin"), path.join(project, "bin"));
  const [theirs, machines] = [
    [".", "", "node_modules/.bin", project, `${project}/.venv/bin`, `${base}/link/.venv/bin`, `${base}/venv`, `${project}/bin`],
    ["/usr/bin", `${base}/project-tools/bin`, `${base}/not-there`],
  ];
  for (const at of [project, path.join(base, "link")]) {
    expect(theirs.filter((dir) => machinePath.isMachines(dir, [at]))).toEqual([]);
    expect(machinePath.without([...theirs, ...machines].join(":"), [at])).toBe(machines.join(":"));
  }
});

test("whoever works in the root folder still has programs", () => {
  expect(machinePath.without("/usr/bin:/bin", ["/"])).toBe("/usr/bin:/bin");
});
