/**
 * The attacker's command runs in the sandbox. The victim's library path leads through the project (`build/lib`), or holds an
 * empty part, which is whatever folder one stands in. He puts a library there under the name of one that git and bubblewrap
 * load, and wants it loaded outside the sandbox.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { NO_SANDBOX } from "../../support/sandboxed.ts";
import { script } from "../../support/scripted-project.ts";
import { clone, repository, victim } from "../support.ts";

/** No library at all: whoever loads it says so and does not start. */
const BROKEN = "not a library";
const NAMES = ["libz.so.1", "libpcre2-8.so.0", "libcap.so.2", "libselinux.so.1"];

for (const spelled of ["absolute", "empty"] as const)
  test.skipIf(NO_SANDBOX !== undefined)(
    `a library path with an ${spelled} part in the project: neither git nor the sandbox loads from it`,
    async () => {
      const attacked = victim();
      const place = spelled === "absolute" ? "build/lib" : ".";
      const plant = `for (const name of ${JSON.stringify(NAMES)}) require("fs").writeFileSync("${place}/" + name, "${BROKEN}");`;
      const repo = repository(attacked.base, { "a.txt": "one\n", "plant.cjs": plant });
      const folder = clone(repo, path.join(attacked.base, "clone"));
      const libraries = path.join(folder, place);
      mkdirSync(libraries, { recursive: true });
      const rules = path.join(attacked.base, "rules.yaml");
      writeFileSync(
        rules,
        script([
          { name: "run_command", input: { command: "node plant.cjs" } },
          { name: "run_command", input: { command: "node -p process.env.LD_LIBRARY_PATH" } },
          { name: "edit_file", input: { path: "a.txt", find: "one", replace: "two" } },
          { name: "complete", input: { summary: "built" } },
        ]),
      );
      attacked.env["LD_LIBRARY_PATH"] = spelled === "absolute" ? libraries : ":/usr/local/lib";
      const { out, err } = await attacked.sylk(folder, "task", "start", "build", "--no-checks", "-m", `scripted/${rules}`);
      expect(existsSync(path.join(libraries, "libz.so.1"))).toBe(true);
      expect(out + err).not.toMatch(/error while loading|file too short|invalid ELF/u);
      // The command itself has the user's.
      expect(out + err).toContain(`│ ${attacked.env["LD_LIBRARY_PATH"]}`);
      expect(readFileSync(path.join(folder, "a.txt"), "utf8")).toBe("two\n");
      expect((await attacked.sylk(folder, "task", "diff")).out).toContain("+two");
    },
  );
