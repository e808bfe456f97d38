import { expect, test } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { createIntentCache } from "./intent-cache.ts";
import { intentOf } from "./intent-of.ts";

const noFiles = new Map<string, string>();

test("~MEM-041 ~MEM-060: the intents of both caches are told apart", () => {
  expect(["which file holds the parser", "which pattern do we use for errors", "how does the parser work", "parser"].map(intentOf)).toEqual(
    ["locate", "pattern", "explain", "general"],
  );
  expect(
    ["what did we do last time", "what changed since", "did the import pass", "anything comparable", "pick up the work", "import"].map(
      intentOf,
    ),
  ).toEqual(["historical", "activity", "outcome", "similar", "resume", "general"]);
});

test("MEM-040 ~MEM-045: the same question in other words is the same entry; another subject is not", () => {
  const cache = createIntentCache<string>(new ManualClock());
  cache.put("Where is the error handling?", "code", "here", noFiles);
  for (const same of ["where is error handling", "Where are errors handled?", "where IS handling of the error"])
    expect(cache.get(same, "code", () => undefined)).toBe("here");
  expect(cache.get("where is error logging", "code", () => undefined)).toBeUndefined();
  expect(cache.get("how does error handling work", "code", () => undefined)).toBeUndefined();
});

test("MEM-040: who does what to whom, whether or not, from where to where and which one are never left out of a question", () => {
  const pairs = [
    ["how does the client authenticate the server", "how does the server authenticate the client"],
    ["what happened before login", "what happened after login"],
    ["explain why retries are not allowed", "explain why retries are allowed"],
    ["explain why it isn't retried", "explain why it is retried"],
    ["how do we deploy from staging to production", "how do we deploy from production to staging"],
    ["what was the limit of uploads", "what is the limit of uploads"],
    ["how does the C++ reader work", "how does the C# reader work"],
    ["explain x < y", "explain x > y"],
    [`explain commit ${"a1".repeat(20)}`, `explain commit ${"b2".repeat(20)}`],
    ["where is the parent of the child", "where is the child of the parent"],
    ["where does the client call the server", "where does the server call the client"],
    ["where is getUser", "where is getUsers"],
    ["where is the upload without checks", "where is the upload with checks"],
  ] as const;
  for (const [asked, other] of pairs) {
    const cache = createIntentCache<string>(new ManualClock());
    cache.put(asked, "all", asked, noFiles);
    expect.soft(cache.get(other, "all", () => undefined)).toBeUndefined();
    expect.soft(cache.get(`  ${asked.replaceAll(" the ", " ")}? `, "all", () => undefined)).toBe(asked);
  }
});

test("~MEM-043: each kind of answer has its own age and its own reason to be forgotten", async () => {
  const clock = new ManualClock();
  const cache = createIntentCache<string>(clock);
  const asked = { locate: "where is x", explain: "how does x work", general: "x", pattern: "which pattern for x" };
  const alive = (hash = "1") =>
    Object.entries(asked).flatMap(([name, text]) => (cache.get(text, "code", () => hash) === undefined ? [] : [name]));
  const fill = () => Object.values(asked).forEach((text) => cache.put(text, "code", "y", new Map([["src/x.ts", "1"]])));
  fill();
  await clock.advance(14 * 60_000);
  expect(alive()).toEqual(["locate", "explain", "general", "pattern"]);
  await clock.advance(2 * 60_000);
  expect(alive()).toEqual(["locate", "explain", "pattern"]);
  await clock.advance(15 * 60_000);
  expect(alive()).toEqual(["locate", "pattern"]);
  await clock.advance(60 * 60_000);
  expect(alive()).toEqual(["locate"]);
  expect(alive("2")).toEqual([]);
});

test.each(["where is x", "how does x work"])("~MEM-043: what was answered to %j is forgotten when a file it rests on changes", (asked) => {
  const cache = createIntentCache<string>(new ManualClock());
  cache.put(asked, "code", "y", new Map([["src/x.ts", "1"]]));
  expect(cache.get(asked, "code", () => "1")).toBe("y");
  expect(cache.get(asked, "code", () => "2")).toBeUndefined();
});

test("~MEM-063: the more telling phrase decides the intent", () => {
  expect(
    [
      "Where is the session resumed?",
      "where did we leave off",
      "have we seen before such an error",
      "what did we do about caching before",
      "what changed in auth",
      "how does login work",
      "xyz",
    ].map(intentOf),
  ).toEqual(["locate", "resume", "similar", "historical", "activity", "explain", "general"]);
});

test("MEM-054: an answer is forgotten when a file it rests on has another content", () => {
  const cache = createIntentCache<string>(new ManualClock());
  let hash = "1";
  cache.put("where is login", "code", "src/a.ts", new Map([["src/a.ts", "1"]]));
  expect(cache.get("Where is the login?", "code", () => hash)).toBe("src/a.ts");
  expect(cache.get("where is login", "history", () => hash)).toBeUndefined();
  hash = "2";
  expect(cache.get("where is login", "code", () => hash)).toBeUndefined();
  expect(cache.counts()).toEqual({ hits: 1, misses: 2, invalidations: 1 });
});

test("~MEM-061: each intent has its own age; history answers go when history grows", async () => {
  const clock = new ManualClock();
  const cache = createIntentCache<string>(clock);
  cache.put("where did we leave off", "all", "here", noFiles);
  cache.put("what did we do before", "all", "that", noFiles);
  await clock.advance(61_000);
  expect(cache.get("where did we leave off", "all", () => undefined)).toBeUndefined();
  expect(cache.get("what did we do before", "all", () => undefined)).toBe("that");
  cache.noteChange({ folders: new Set(), history: true, many: false });
  expect(cache.get("what did we do before", "all", () => undefined)).toBeUndefined();
});

test("MEM-054 ~MEM-056: a file that came or went in a folder drops what rests on it; very many changes drop all about code", () => {
  const cache = createIntentCache<string>(new ManualClock());
  cache.put("what patterns are used in auth", "code", "x", new Map([["auth/a.ts", "1"]]));
  cache.noteChange({ folders: new Set(["billing"]), history: false, many: false });
  expect(cache.get("what patterns are used in auth", "code", () => "1")).toBe("x");
  cache.noteChange({ folders: new Set(["auth"]), history: false, many: false });
  expect(cache.get("what patterns are used in auth", "code", () => "1")).toBeUndefined();
  cache.put("where is x", "code", "y", new Map([["b.ts", "1"]]));
  cache.noteChange({ folders: new Set(), history: false, many: true });
  expect(cache.get("where is x", "code", () => "1")).toBeUndefined();
});

test("MEM-065: what was researched is kept for a day, whatever happens to code and history, until a document comes in", async () => {
  const clock = new ManualClock();
  const cache = createIntentCache<string>(clock);
  const ask = () => cache.get("best practice for retries", "docs", () => undefined);
  cache.put("best practice for retries", "docs", "back off", noFiles);
  await clock.advance(23 * 3_600_000);
  cache.noteChange({ folders: new Set(["src"]), history: true, many: true });
  expect(ask()).toBe("back off");
  cache.noteChange({ folders: new Set(), history: false, documents: true, many: false });
  expect(ask()).toBeUndefined();
});
