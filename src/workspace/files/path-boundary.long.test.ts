import { existsSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-workspace.ts";
import { createPathBoundary } from "./path-boundary.ts";

const CASES = 30_000;

/** What the system itself says about a path: the real place of its nearest existing ancestor. */
function truth(absolute: string): string | undefined {
  const missing: string[] = [];
  for (let at = absolute; ; at = path.dirname(at)) {
    if (existsSync(at)) return path.join(realpathSync.native(at), ...missing);
    if (at === "/") return undefined;
    missing.unshift(path.basename(at));
  }
}

test(`SEC-036: ${CASES} generated paths, none accepted that leads outside`, async () => {
  const base = tempFolder("fuzz");
  try {
    const root = path.join(base, "app");
    for (const dir of ["app/src/deep", "app/.git/hooks", "app-evil", "App", "outside/dir"])
      mkdirSync(path.join(base, dir), { recursive: true });
    writeFileSync(path.join(base, "outside/secret.txt"), "s");
    writeFileSync(path.join(root, "src/a.ts"), "a");
    for (const [target, name] of [
      ["../outside", "out"],
      ["..", "up"],
      ["/", "slash"],
      ["src", "inner"],
      ["up/outside", "chain"],
      ["../app-evil", "src/evil"],
      ["nowhere", "dangling"],
      ["../../outside/none", "src/dangling-out"],
    ] as const) {
      symlinkSync(target, path.join(root, name));
    }
    const boundary = createPathBoundary({ root });
    const part = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.constantFrom(
          "..",
          ".",
          "src",
          "deep",
          "a.ts",
          "out",
          "up",
          "slash",
          "inner",
          "chain",
          "evil",
          "dangling",
          "dangling-out",
          "app",
          "app-evil",
          "App",
          "outside",
          "secret.txt",
          "dir",
          ".git",
          ".GIT",
          "hooks",
          "",
        ),
      },
      { weight: 1, arbitrary: fc.string({ maxLength: 8 }) },
      {
        weight: 1,
        arbitrary: fc.constantFrom("..\\", "%2e%2e", "..;", "\u2025", "\uff0e\uff0e", "~", "$HOME", "C:", "..\0", ". .", "\u202e.."),
      },
    );
    const start = fc.constantFrom("", "/", "//", "./", "../", `${root}/`, `${root}`, `${base}/`, "/proc/self/cwd/", "/dev/fd/");
    const paths = fc.tuple(start, fc.array(part, { minLength: 0, maxLength: 9 })).map(([head, parts]) => head + parts.join("/"));
    let inside = 0;
    let escapes = 0;
    await fc.assert(
      fc.asyncProperty(paths, async (input) => {
        const found = await boundary.resolve(input);
        if (found.kind === "outside") return;
        inside += 1;
        const real = truth(found.absolute);
        const ok = real === found.absolute && (real === root || real.startsWith(`${root}/`));
        if (!ok) escapes += 1;
        expect({ input, ok, real }).toEqual({ input, ok: true, real: found.absolute });
        const forWrite = await boundary.resolveForWrite(input);
        expect(forWrite.kind === "inside" && /(^|\/)\.git(\/|$)/iu.test(path.relative(root, forWrite.absolute))).toBe(false);
      }),
      { numRuns: CASES },
    );
    expect(escapes).toBe(0);
    expect(inside).toBeGreaterThan(CASES / 20);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});
