/** What servers answer, however much it is, becomes a few lines. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp.ts";
import { systemClock } from "../../kernel/index.ts";
import type { LanguageServers } from "../../tooling/index.ts";
import type { ActionContext } from "../actions/action.ts";
import { createCodeIntelligence } from "./code-intelligence.ts";

test("L3: half a million places in one file are counted, and a few are shown", async () => {
  const places = Array.from({ length: 500_000 }, (_v, at) => ({ path: "a.ts", line: at + 1 }));
  const servers = { locate: () => Promise.resolve({ kind: "found", server: "fake", places }) } as unknown as LanguageServers;
  const { actions } = createCodeIntelligence({ servers, projectDir: "/", clock: systemClock, redact: (text) => text });
  const kept: string[] = [];
  const context = {
    workspace: { root: "/", files: { read: () => Promise.resolve({ kind: "not_found", path: "a.ts", similar: [] }) } },
    blobs: { put: (text: string) => Promise.resolve(`blob:${kept.push(text)}`) },
    signal: new AbortController().signal,
    step: 1,
  } as unknown as ActionContext;
  const references = actions?.find(({ name }) => name === "references");
  const result = await references?.execute({ path: "a.ts", line: 1, name: "x" }, context);
  expect(result).toMatchObject({ ok: true, summary: "x: 500000 places in 1 files" });
  expect(kept[0]?.split("\n")).toHaveLength(61);
  expect(kept[0]).toContain("and 499940 more");
});

test("a definition that a stub declares is shown in the source it stands for, when the project has it", async () => {
  const root = tempDir("sylk-stub");
  mkdirSync(path.join(root, "lib"));
  mkdirSync(path.join(root, "other"));
  writeFileSync(path.join(root, "lib/shape.d.ts"), "export declare function area(a: number): number;\n");
  writeFileSync(path.join(root, "lib/shape.js"), "// shapes\nexport function area(a) {\n  return a * a;\n}\n");
  writeFileSync(path.join(root, "other/shape.js"), "export function area() {}\n");
  writeFileSync(path.join(root, "lib/alone.d.ts"), "export declare const alone: number;\n");
  const places = { area: [{ path: "lib/shape.d.ts", line: 1 }], alone: [{ path: "lib/alone.d.ts", line: 1 }] };
  const locate = (_at: unknown, _what: unknown, { name }: { name: keyof typeof places }) =>
    Promise.resolve({ kind: "found", server: "fake", places: places[name] });
  const servers = { locate } as unknown as LanguageServers;
  const { actions } = createCodeIntelligence({ servers, projectDir: root, clock: systemClock, redact: (text) => text });
  const context = {
    workspace: {
      root,
      files: {
        source: (file: string) => Promise.resolve(readFileSync(path.join(root, file), "utf8")),
        read: ({ path: file }: { path: string }) => Promise.resolve({ kind: "not_found", path: file, similar: [] }),
      },
    },
    profile: { page: 1_000 },
    signal: new AbortController().signal,
  } as unknown as ActionContext;
  const definition = actions?.find(({ name }) => name === "definition");
  const said = async (name: string) => (await definition?.execute({ path: "x.ts", line: 1, name }, context))?.summary;
  expect(await said("area")).toContain("area is defined in lib/shape.js:2, lib/shape.d.ts:1");
  expect(await said("alone")).toContain("alone is defined in lib/alone.d.ts:1");
});
