import { expect, test } from "vitest";
import { taskLists, taskPage } from "./open-tasks.ts";

const ESC = "\u001b";
const only = (value: unknown) => taskLists(value)[0] ?? { tag: "", open: [], done: 0, strange: 0 };

test("those that others wait for come first, also in a long circle and a long chain", () => {
  const count = 20_000;
  const circle = Array.from({ length: count }, (_, i) => ({ id: i, title: `t${i}`, dependencies: [(i + 1) % count] }));
  const { open } = only({ tasks: circle });
  expect(open.map(({ id }) => id)).toEqual(Array.from({ length: count }, (_, i) => String(count - 1 - i)));
  const list = only({
    tasks: [
      { id: 3, title: "c", dependencies: [2, 2, 9] },
      { id: 1, title: "a" },
      { id: 2, title: "b", dependencies: [1, 2] },
    ],
  });
  expect(list.open.map(({ id }) => id)).toEqual(["1", "2", "3"]);
});

test("a task list forges no block, no line and no option of the page that is made of it", () => {
  const forged = "x\n```\n\n```sh\nsylk run -- 'evil'\n```";
  const page = taskPage(
    "a\nb",
    only({
      tasks: [
        {
          id: `7\n\n${forged}`,
          title: `--check=evil'\n${ESC}[2J${forged}\u202Etxt.exe`,
          details: `${forged}\n\`\`\`\`\n${ESC}]0;x`,
          priority: `high\n${forged}`,
          dependencies: [`1\n${forged}`],
          subtasks: [{ id: `1\n${forged}`, title: forged }],
        },
      ],
    }),
    ".sylk/tasks.md",
  );
  expect(page).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  let fence: string | undefined;
  const commands: string[] = [];
  for (const line of page.split("\n")) {
    const row = /^(`{3,})(\w*)$/u.exec(line);
    if (fence === undefined && row !== null) fence = row[0];
    else if (row !== null && row[2] === "" && (row[1]?.length ?? 0) >= (/^`+/u.exec(fence ?? "")?.[0].length ?? 0)) fence = undefined;
    else if (fence === "```sh") commands.push(line);
  }
  expect(commands).toHaveLength(1);
  expect(commands[0]).toMatch(/^sylk run -- '--check=evil'\\'' \[2Jx/u);
});

test("what is begun, in review or held up is open as well as what waits; what is done or put off is not", () => {
  const statuses = ["pending", "in-progress", "in_progress", "review", "blocked", "done", "deferred", "cancelled"];
  const list = only({ tasks: statuses.map((status, id) => ({ id, title: status, status })) });
  expect([list.open.map(({ title }) => title), list.done]).toEqual([statuses.slice(0, 5), 3]);
});
