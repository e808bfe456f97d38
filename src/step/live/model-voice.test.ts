import { expect, test } from "vitest";
import type { LivePart } from "../../protocol/api/index.ts";
import { createLiveHub } from "./live-hub.ts";
import { createModelVoice } from "./model-voice.ts";

type Watched = Parameters<ReturnType<typeof createModelVoice>>[0];

const text = (words: string): Watched => ({
  callId: "call_1",
  session: "s",
  task: "t",
  role: "engineer",
  missed: 0,
  part: { type: "text", text: words, index: 0, at: 0 },
});

test("a secret that comes in two pieces leaves in none", () => {
  const said: LivePart[] = [];
  const voice = createModelVoice({ sink: (part) => said.push(part), redact: (words) => words.replaceAll("sk-12345678", "[REDACTED]") });
  for (const words of ["the key is sk-12", "345678 and", " that is all\n"]) voice(text(words));
  expect(said.map((part) => (part.type === "text" ? part.text : "")).join("")).toBe("the key is [REDACTED] and that is all\n");
});

test("nobody listens: nothing is kept; a listener that never looks holds a bounded number and is told what it lost", async () => {
  const hub = createLiveHub();
  hub.sink({ type: "progress", about: "index", what: "unheard" });
  expect(hub.isHeard()).toBe(false);
  const stop = new AbortController();
  const parts = hub.listen({}, stop.signal)[Symbol.asyncIterator]();
  for (let i = 0; i < 2_000; i += 1) hub.sink({ type: "progress", about: "index", what: String(i) });
  expect((await parts.next()).value).toEqual({ type: "missed", count: 1_488 });
  expect((await parts.next()).value).toMatchObject({ what: "1488" });
  stop.abort();
  expect(await parts.next()).toMatchObject({ done: true });
  expect(hub.isHeard()).toBe(false);
});

test("sources are watched only while somebody listens", async () => {
  const hub = createLiveHub();
  const watched: string[] = [];
  hub.watch(async (signal) => {
    watched.push("begun");
    signal.addEventListener("abort", () => watched.push("ended"));
  });
  expect(watched).toEqual([]);
  const stop = new AbortController();
  hub.listen({ task: "t" }, stop.signal);
  stop.abort();
  expect(watched).toEqual(["begun", "ended"]);
});
