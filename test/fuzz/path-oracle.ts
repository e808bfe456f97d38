/** Random paths through a tree full of links, judged by the guard, then really written: the file must be inside. */
import { closeSync, constants, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { decidePath } from "../../src/guard/permissions/decide-path.ts";
import { NO_RULES } from "../../src/guard/permissions/rules.ts";
import type { PermissionContext } from "../../src/guard/permissions/types.ts";
import { seededRandom, type Random } from "./random.ts";
import { shippedRole } from "../support/shipped-roles.ts";

export interface PathReport {
  generated: number;
  allowed: number;
  written: number;
  escapes: string[];
}

const PARTS = [
  "..",
  ".",
  "src",
  "deep",
  "new",
  "a.ts",
  "up",
  "out",
  "loop",
  "abs",
  "dangling",
  "inner",
  "file",
  "x",
  "...",
  "..x",
  " ",
  "ü",
  "-",
  "chain",
  "",
];

function plant(root: string): void {
  for (const folder of ["work/src/deep", "work-evil", "outside/deep"]) mkdirSync(path.join(root, folder), { recursive: true });
  writeFileSync(path.join(root, "work/file"), "");
  const link = (at: string, to: string): void => symlinkSync(to, path.join(root, "work", at));
  link("up", "..");
  link("out", path.join(root, "outside"));
  link("abs", "/");
  link("loop", "loop");
  link("inner", "src/deep");
  link("dangling", path.join(root, "outside/not-there"));
  link("chain", "src/chain");
  link("src/chain", "../out/deep");
  link("src/up", "../..");
  link("src/deep/out", "../../../outside");
}

function randomPath(random: Random, root: string): string {
  const parts = Array.from({ length: 1 + Math.floor(random() * 7) }, () => PARTS[Math.floor(random() * PARTS.length)] as string);
  const start = random();
  const base = start < 0.75 ? "" : start < 0.85 ? `${root}/work` : start < 0.92 ? `${root}/work-evil` : `${root}/outside/../work`;
  return [...(base === "" ? [] : [base]), ...parts].join("/") || ".";
}

/** Creates the file as a program would, following every link. */
function write(file: string): string | undefined {
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    closeSync(openSync(file, constants.O_CREAT | constants.O_WRONLY, 0o600));
    return realpathSync(file);
  } catch {
    return undefined; // A loop, a file where a folder belongs: nothing was written.
  }
}

export function fuzzPaths(options: { seed: number; cases: number }): PathReport {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "sylk-paths-")));
  try {
    plant(root);
    const work = path.join(root, "work");
    const context: PermissionContext = {
      role: shippedRole("engineer"),
      cwd: work,
      roots: [work],
      rules: { layers: [{ scope: "project", rules: NO_RULES }], allowModifyEnv: false, allowModifyGitignore: false },
      buildsAreSafe: false,
      useSafeLists: true,
      home: root,
      closed: [],
    };
    const random = seededRandom(options.seed);
    const report: PathReport = { generated: options.cases, allowed: 0, written: 0, escapes: [] };
    for (let i = 0; i < options.cases; i += 1) {
      const file = randomPath(random, root);
      if (decidePath(context, file, "write").kind !== "allow") continue;
      report.allowed += 1;
      const place = write(path.resolve(work, file));
      if (place === undefined) continue;
      report.written += 1;
      if (!place.startsWith(`${work}/`)) report.escapes.push(`${file} → ${place}`);
    }
    return report;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
