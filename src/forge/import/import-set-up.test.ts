import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp.ts";
import { createRedactor } from "../../guard/index.ts";
import { systemClock } from "../../kernel/index.ts";
import { createImport } from "./import-set-up.ts";

test("only what was shown is written: a plan that changed meanwhile is refused, and nothing of it is written", async () => {
  const base = tempDir();
  const [projectDir, configDir, home] = ["project", "config", "home"].map((name) => path.join(base, name)) as [string, string, string];
  mkdirSync(path.join(home, ".codex/prompts"), { recursive: true });
  mkdirSync(projectDir);
  const prompt = path.join(home, ".codex/prompts/go.md");
  writeFileSync(prompt, "one");
  const imports = createImport({
    projectDir,
    configDir,
    home,
    env: {},
    clock: systemClock,
    redactor: createRedactor(),
    hooks: () => ({}),
    setHooks: () => ({ file: "" }),
    servers: { add: () => ({ file: "" }), standing: () => ({ file: "", standing: "none" }) },
  });
  const { digest } = await imports.plan({ tool: "codex" });
  writeFileSync(prompt, "two");
  await expect(imports.apply({ tool: "codex", digest })).rejects.toMatchObject({ code: "IMPORT_CHANGED" });
  expect(existsSync(configDir)).toBe(false);
  writeFileSync(prompt, "one");
  expect((await imports.apply({ tool: "codex", digest })).written).toEqual([path.join(configDir, "commands/go.md")]);
});
