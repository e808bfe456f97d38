/** `rights.test.ts` goes on here with what takes longer. */
import { expect, test, vi } from "vitest";
import { filesOf, scriptedProject } from "../../support/scripted-project.ts";
import { shippedRoles } from "../../support/shipped-roles.ts";
import { stringify } from "yaml";
import { may } from "./rights.ts";

// A task of every role, in a real project.
vi.setConfig({ testTimeout: 300_000 });

const HOSTILE = [
  { name: "write_file", input: { path: "planted.txt", content: "planted\n" } },
  { name: "delete_file", input: { path: "kept.txt" } },
  { name: "edit_file", input: { path: "kept.txt", find: "kept", replace: "gone" } },
  { name: "run_command", input: { command: "touch planted-by-command.txt" } },
];

/** Two acts for each task, with a look between: whoever is refused often is stopped for getting nowhere. */
const PARTS = { files: HOSTILE.slice(0, 2), commands: HOSTILE.slice(2) };

const rules = stringify({
  rules: [
    ...Object.entries(PARTS).flatMap(([part, calls]) =>
      calls.map((call, index) => ({
        when: { text: `look at ${part}`, step: 2 * index + 1 },
        answer: { text: "I may do this.", tool_calls: [call] },
      })),
    ),
    { when: { step: 2 }, answer: { text: "And look.", tool_calls: [{ name: "read_file", input: { path: "kept.txt" } }] } },
    { answer: { text: "done", tool_calls: [{ name: "complete", input: { summary: "done" } }] } },
  ],
});

test("a model that calls what its role or its kind of task lacks is refused, that stands in the journal, and nothing changed", async () => {
  const project = scriptedProject({ "kept.txt": "kept\n" }, rules);
  const app = await project.open();
  const lacking = shippedRoles().filter((role) => !may(role, "file_write"));
  const looking = shippedRoles().filter((role) => may(role, "file_write"));
  const cases = [
    ...lacking.map((role) => ({ role: role.id, type: "implement_feature" })),
    ...looking.map((role) => ({ role: role.id, type: "review" })),
  ];
  expect(cases.length).toBeGreaterThan(10);
  for (const { role, type, part, calls } of cases.flatMap((one) =>
    Object.entries(PARTS).map(([part, calls]) => ({ ...one, part, calls })),
  )) {
    const id = await app.tasks.start({
      goal: `look at ${part}`,
      type,
      role,
      criteria: [],
      constraints: [],
      checks: [],
      discoverChecks: false,
      model: project.rules,
      profile: "minimal",
      maxSteps: 6,
    });
    await app.tasks.run(id, () => undefined, new AbortController().signal);
    const { position: until } = await app.api.query({ type: "journal.head" });
    const refused: string[] = [];
    const tried: unknown[] = [];
    for await (const { payload, type: told } of app.api.events({ stream: `task/${id}`, until }, 0, new AbortController().signal)) {
      const { invalid, action, ok } = payload as { invalid?: string; action?: string; ok?: boolean };
      if (told === "task.stepped" && invalid !== undefined)
        refused.push(...HOSTILE.flatMap(({ name }) => (invalid.includes(name) ? [name] : [])));
      if (told === "task.acted" && HOSTILE.some(({ name }) => name === action)) tried.push({ action, ok });
      if (told === "task.acted" && ok === false && action !== undefined) refused.push(action);
    }
    expect([role, tried.filter((one) => JSON.stringify(one).includes("true"))]).toEqual([role, []]);
    const wanted = calls.map(({ name }) => name);
    expect([role, type, wanted.filter((name) => !refused.includes(name))]).toEqual([role, type, []]);
    expect(filesOf(project.dir)).toEqual({ "kept.txt": "kept\n" });
  }
  await app.close();
});
