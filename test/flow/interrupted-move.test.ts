/** A move that was cut off in the middle: whatever instant, the content survives and the move is finished. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { sha256 } from "../../src/kernel/index.ts";
import { sqliteDriver } from "../../src/journal/index.ts";
import { createRegistry } from "../../src/step/actions/registry.ts";
import type { Action, ActionContext } from "../../src/step/actions/action.ts";
import { settleIntent } from "../../src/step/perform.ts";
import { PROFILES } from "../../src/step/profiles.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { openWorkspace } from "../../src/workspace/index.ts";
import { tempDir } from "../support/temp.ts";

async function place() {
  const dir = tempDir();
  const store = await sqliteDriver.open({ path: path.join(tempDir(), "sylk.db"), clock: systemClock });
  const workspace = openWorkspace({
    root: dir,
    gate: { decide: () => Promise.resolve({ kind: "allow", rule: "test" }) },
    redact: (text) => text,
    clock: systemClock,
    blobs: store.blobs,
  });
  const context = {
    workspace,
    blobs: store.blobs,
    profile: PROFILES["minimal"],
    step: 1,
    signal: new AbortController().signal,
    state: { memory: { items: [], facts: [], ready: [] } },
  } as unknown as ActionContext;
  return { dir, store, context };
}

test("CTX-020: a move interrupted after the new place was written is finished by removing the old one", async () => {
  const { dir, store, context } = await place();
  writeFileSync(path.join(dir, "from.txt"), "content");
  writeFileSync(path.join(dir, "to.txt"), "content");
  const hash = sha256("content");
  const move = createRegistry().get("move_file", { outputs: {} }) as Action;
  const files = [
    { path: "from.txt", operation: "move" as const, before: hash, after: null },
    { path: "to.txt", operation: "move" as const, before: null, after: hash },
  ];
  expect(await settleIntent(move, { from: "from.txt", to: "to.txt" }, files, context)).toMatchObject({ ok: true, outcome: "changed" });
  expect(existsSync(path.join(dir, "from.txt"))).toBe(false);
  expect(readFileSync(path.join(dir, "to.txt"), "utf8")).toBe("content");
  await store.close();
});

test("CTX-020: of a half-written change someone else interfered with, what was written is recorded and only theirs is called theirs", async () => {
  const { dir, store, context } = await place();
  writeFileSync(path.join(dir, "b.txt"), "B");
  writeFileSync(path.join(dir, "d.txt"), "the user's");
  const edit = createRegistry().get("multi_edit", { outputs: {} }) as Action;
  const files = [
    { path: "b.txt", operation: "modify" as const, before: sha256("b"), after: sha256("B") },
    { path: "d.txt", operation: "modify" as const, before: sha256("d"), after: sha256("D") },
  ];
  const result = await settleIntent(
    edit,
    {
      edits: [
        { path: "b.txt", find: "b", replace: "B" },
        { path: "d.txt", find: "d", replace: "D" },
      ],
    },
    files,
    context,
  );
  expect(result).toMatchObject({ ok: false, outcome: "stale", files: [{ path: "b.txt" }] });
  expect(result.summary).toMatch(/^d\.txt: changed by someone else/);
  expect(readFileSync(path.join(dir, "d.txt"), "utf8")).toBe("the user's");
  await store.close();
});
