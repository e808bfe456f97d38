/**
 * A run asks for a key. One process is given the key, and while it keeps it the person says no in another. The no was
 * first, so the key must not be there afterwards.
 */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createAuth } from "../../../src/guard/index.ts";
import { createQuestionApi, createQuestions, sqliteDriver } from "../../../src/journal/index.ts";
import { openProject, systemPaths } from "../../../src/kernel/index.ts";
import { agentActor, USER } from "../../../src/protocol/events/index.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { tempDir } from "../../support/temp.ts";

const never = new AbortController().signal;

async function asked(meanwhile: (deny: () => Promise<unknown>) => Promise<unknown>, more: Record<string, string> = {}) {
  const base = tempDir("sylk-hostile");
  const home = { SYLK_HOME: path.join(base, "home") };
  const env = { ...home, ...more };
  const dirs = systemPaths.dirs({ env, platform: process.platform });
  mkdirSync(path.join(base, "p"));
  const clock = new ManualClock();
  const store = await sqliteDriver.open({ path: path.join(base, "sylk.db"), clock, durability: "process" });
  onTestFinished(() => store.close());
  const authIn = (known: Record<string, string>) =>
    createAuth({
      dirs,
      project: openProject(path.join(base, "p"), dirs),
      env: known,
      clock,
      profile: () => "default",
      onValue: () => undefined,
    });
  const auth = authIn(env);
  const screen = (text: string): Promise<string> => Promise.resolve(text);
  const questions = createQuestions({ journal: async () => store.journal, clock, attended: false, redact: (text) => text, screen });
  const ask = { kind: "secret", provider: "acme" } as const;
  const asker = { kind: "task", id: "task_1" } as const;
  const question = { asker, session: "default", key: "k", message: "a key?", ask, by: agentActor("engineer") };
  await expect(questions.ask(question, never)).rejects.toMatchObject({ code: "QUESTION_OPEN" });
  const [{ id } = { id: "" }] = await questions.list();
  const desk = createQuestionApi({
    questions,
    existing: async () => store,
    async keepKey(...given) {
      const takeBack = await auth.keep(...given);
      await meanwhile(() => questions.answer(id, { kind: "chosen", value: "deny" }, USER));
      return takeBack;
    },
  });
  return {
    auth,
    stored: () => authIn(home).find("acme"),
    give: () => desk.answer(id, { kind: "secret", value: "acme-key-000111222" }, never),
  };
}

test("L1: a key that comes after a no is not kept", async () => {
  const { auth, give } = await asked((deny) => deny());
  await expect(give()).rejects.toMatchObject({ message: expect.stringContaining("takes no answer any more") as string });
  expect(await auth.find("acme")).toMatchObject({ kind: "missing" });
});

test("L1: an older key is there again, and a key that came first stays", async () => {
  const late = await asked((deny) => deny());
  await late.auth.api.set({ provider: "acme", key: "older-key-333444", unverified: true, signal: never });
  await expect(late.give()).rejects.toThrow("takes no answer any more");
  expect(await late.auth.find("acme")).toMatchObject({ value: "older-key-333444" });
  const first = await asked(async () => undefined);
  expect(await first.give()).toMatchObject({ status: "answered" });
  expect(await first.auth.find("acme")).toMatchObject({ value: "acme-key-000111222" });
});

test("L1: a key that somebody else stored meanwhile stays", async () => {
  const at = await asked(async (deny) => {
    await at.auth.api.set({ provider: "acme", key: "newer-key-555666", unverified: true, signal: never });
    await deny();
  });
  await expect(at.give()).rejects.toThrow("takes no answer any more");
  expect(await at.auth.find("acme")).toMatchObject({ value: "newer-key-555666" });
});

test("L1: a key of the environment is not written to disk in the place of the one taken back", async () => {
  const { auth, give, stored } = await asked((deny) => deny(), { ACME_API_KEY: "key-of-the-shell-777" });
  expect(await auth.find("acme")).toMatchObject({ kind: "found", source: "environment" });
  await expect(give()).rejects.toThrow("takes no answer any more");
  expect(await stored()).toMatchObject({ kind: "missing" });
});
