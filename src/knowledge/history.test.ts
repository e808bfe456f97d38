import { expect, test } from "vitest";
import { knowledgeProject } from "../../test/support/knowledge-project.ts";
import { parseHistoryLines } from "./history-import.ts";

const SAID = [
  ["s1", "1", "2024-01-10T18:00:00Z", "Ana", "How was your week?"],
  ["s1", "2", "2024-01-10T18:01:00Z", "Ben", "Busy! I signed with Northwind, I begin on Monday."],
  ["s1", "3", "2024-01-10T18:02:00Z", "Ana", "Congratulations!"],
  ["s1", "4", "2024-01-10T18:03:00Z", "Ana", "I signed up for the pottery class."],
  ["s2", "5", "2024-03-02T18:00:00Z", "Ana", "And the shelter visit?"],
  ["s2", "6", "2024-03-02T18:01:00Z", "Ben", "We came home with Biscuit, a three-legged puppy."],
  ["s2", "7", "2024-03-02T18:02:00Z", "Ana", "Lovely. What else is new?"],
  ["s2", "8", "2024-03-02T18:03:00Z", "Ben", "I resigned from Northwind; I am with the hospital now."],
] as const;

const LINES = SAID.map(([thread, id, time, author, text]) => JSON.stringify({ id, time, author, text, thread })).join("\n");

async function told() {
  const project = knowledgeProject({ "a.txt": "x" });
  await project.knowledge.index();
  await project.knowledge.addHistory("import:talk", parseHistoryLines(LINES, "talk"));
  return project.knowledge;
}

test("KNO-031: a question in other words finds the answer, by its speaker, and gives back its own id", async () => {
  const knowledge = await told();
  const ids = (text: string, k: number) => knowledge.search({ text, domain: "history", k }).map((hit) => hit.externalId);
  expect(ids("Which employer did Ben join?", 3)).toEqual(expect.arrayContaining(["2", "8"]));
  expect(ids("What pet does Ben have?", 2)).toContain("6");
  expect(ids("What did Ana sign up for?", 1)).toEqual(["4"]);
  expect(ids("What happened with Ben in March 2024?", 3)).toEqual(expect.arrayContaining(["6", "8"]));
});

test("~KNO-031: what replies to a question that has the words is found before the question, though it has none of them", async () => {
  const knowledge = await told();
  const hits = knowledge.search({ text: "How did the shelter visit go for Ben?", domain: "history", k: 2 });
  expect(hits.map((hit) => hit.externalId)).toEqual(["6", "5"]);
});

test("ING-007: the same entries again are no change; a changed one replaces", async () => {
  const knowledge = await told();
  expect(await knowledge.addHistory("import:talk", parseHistoryLines(LINES, "talk"))).toBe(0);
  expect(await knowledge.addHistory("import:talk", parseHistoryLines(LINES.replace("Biscuit", "Pepper"), "talk"))).toBe(1);
  expect(knowledge.status().entries).toBe(SAID.length);
  expect(knowledge.search({ text: "Pepper", domain: "history", k: 1 })[0]).toMatchObject({ externalId: "6" });
});

test("a line that is not an entry is named with its number", () => {
  expect(() => parseHistoryLines('{"id":"1","text":"a"}\nnope', "n")).toThrow(/n line 2 is not JSON/u);
  expect(() => parseHistoryLines('{"id":"1"}', "n")).toThrow(/n line 1/u);
  expect(parseHistoryLines('{"id":7,"text":"a","time":1700000000}\n\n', "n")).toMatchObject([
    { id: "7", at: 1_700_000_000_000, thread: "n/", author: "" },
  ]);
});
