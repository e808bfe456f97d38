import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sqliteDriver } from "../../journal/index.ts";
import { systemClock } from "../../kernel/index.ts";
import { EVENTS, STREAMS, SYSTEM, USER } from "../../protocol/events/index.ts";
import { MESSAGES } from "../../protocol/index.ts";
import { tempDir } from "../../../test/support/temp.ts";
import { doubtsOf, sourceOutcomes, sourcesView } from "./source-outcomes.ts";

test("~EVI-035: a source counts once for each request that came to an end; taken back is failed, an end that says nothing of the work is none, and most must have failed", async () => {
  const file = path.join(tempDir("sources"), "sylk.db");
  const { journal, close } = await sqliteDriver.open({ path: file, clock: systemClock, durability: "process", views: [sourcesView] });
  onTestFinished(() => close());
  const answered = async (request: string, ...sources: string[]): Promise<void> => {
    const root = MESSAGES.request({ request, revision: 1, at: 1, sure: [] });
    const question = MESSAGES.derive(root, {
      id: `${request}/q`,
      from: "architect",
      to: "librarian",
      at: 2,
      body: { kind: "question", question: "where?" },
    });
    const answer = MESSAGES.reply(question, { id: `${request}/a`, at: 3, body: { kind: "answer", answer: "there", sources, unmet: [] } });
    for (const message of [question, answer])
      await journal.append(STREAMS.message(request), "any", [EVENTS.message.sent.create({ message }, { actor: SYSTEM.engine })]);
  };
  const ended = async (request: string, how: "done" | "not_shown" | "failed" | "cancelled"): Promise<void> => {
    const end = EVENTS.request.ended.create({ how, summary: "", deferred: [], files: [], evidence: {} }, { actor: SYSTEM.engine });
    await journal.append(STREAMS.request(request), "any", [end]);
  };
  await answered("r1", "src/a.js:1", "src/a.js:9-12", "src/b.js:2");
  await ended("r1", "failed");
  await answered("r2", "src/a.js:3", "src/b.js");
  await ended("r2", "done");
  const counts = async () => (await sourceOutcomes(journal)).map(({ source, named, failed }) => `${source} ${failed}/${named}`);
  expect(await counts()).toEqual(["src/a.js 1/2", "src/b.js 1/2"]);
  expect(doubtsOf(await sourceOutcomes(journal), ["src/a.js"])).toEqual([]);
  // What the person took back did not hold after all.
  const receipt = {
    files_restored: ["src/x.js"],
    staged_files_discarded: 0,
    local_commits_removed: 0,
    agent_context_reset: true,
    external_calls: [],
    failure_record: STREAMS.request("r2"),
    warnings: [],
  };
  await journal.append(STREAMS.request("r2"), "any", [EVENTS.request.rolledBack.create(receipt, { actor: USER })]);
  await answered("r3", "src/b.js");
  await ended("r3", "not_shown");
  await answered("r4", "src/b.js", "https://example.org/x");
  await ended("r4", "done");
  await answered("r5", "src/a.js");
  await ended("r5", "cancelled");
  await answered("r6", "src/a.js");
  expect(await counts()).toEqual(["src/a.js 2/2", "src/b.js 2/4", "https://example.org/x 0/1"]);
  expect(doubtsOf(await sourceOutcomes(journal), ["src/a.js:7", "src/b.js:1", "src/c.js"])).toEqual([
    "src/a.js: named for 2 requests, 2 of them failed or were taken back; look twice",
  ]);
});
