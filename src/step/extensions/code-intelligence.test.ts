/** What servers answer, however much it is, becomes a few lines. */
import { expect, test } from "vitest";
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
