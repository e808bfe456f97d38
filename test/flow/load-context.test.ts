/** What an agent can bring into view, note and look at before it acts, seen in the very next request. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { script, scriptedProject, type ScriptedCall } from "../support/scripted-project.ts";

const MATH = `import { round } from "./round.ts";

export function area(w: number, h: number): number {
  return round(w * h);
}
`;

const FILES = {
  "src/math.ts": MATH,
  "src/round.ts": "export function round(x: number): number {\n  return Math.round(x);\n}\n",
  "src/app.ts": 'import { area } from "./math.ts";\n\nexport const room = area(3, 4);\n',
  "src/math.test.ts": 'import { area } from "./math.ts";\n\nif (area(2, 2) !== 4) throw new Error("area");\n',
  "docs/rules.md": `# Rules

## AREA-1 How areas are rounded
Areas are whole numbers.
They are never negative.

## AREA-2 Units
Metres.

- **AREA-3 [core] Heights.** A height is given
  in metres as well.
- **AREA-4** Other.
`,
};

/** Runs the steps and returns each request's user message, by step. */
async function play(files: Record<string, string>, steps: (ScriptedCall | ScriptedCall[])[], type = "implement_feature") {
  const project = scriptedProject(files, script([...steps, { name: "complete", input: { summary: "done" } }]));
  const app = await project.open();
  const id = await app.tasks.start({
    goal: "Look around.",
    type,
    role: "engineer",
    criteria: [],
    constraints: [],
    checks: type === "discover" ? [] : ["true"],
    model: project.rules,
    profile: "minimal",
    maxSteps: undefined,
  });
  const end = await app.tasks.run(id, () => undefined, new AbortController().signal);
  const seen = await Promise.all(steps.map(async (_step, i) => (await app.tasks.context(id, i + 2)).user));
  await app.close();
  return { project, end, seen };
}

const load = (item: string): ScriptedCall => ({ name: "load_context", input: { item } });

test("~CTX-015: related files come with the reason they are related", async () => {
  const { seen } = await play(FILES, [load("related_files:src/math.ts")], "discover");
  const shown = seen[0] as string;
  expect(shown).toMatch(/src\/math\.test\.ts {2}tests it/);
  expect(shown).toMatch(/src\/round\.ts {2}used by it/);
  expect(shown).toMatch(/src\/app\.ts {2}uses it/);
});

test("~CTX-015: a section of the project's documents is shown from its name to its end, as heading or as list item", async () => {
  const { seen } = await play(FILES, [load("spec_section:AREA-1"), load("spec_section:AREA-3"), load("spec_section:AREA-9")], "discover");
  expect(seen[0]).toContain("They are never negative.");
  expect(seen[0]).not.toContain("Metres.");
  expect(seen[1]).toContain("in metres as well.");
  expect(seen[1]).not.toContain("AREA-4** Other");
  expect(seen[2]).toContain('no document of this project mentions "AREA-9"');
});

test("EFF-050 ~EFF-051 ~EFF-052: a preview shows the diff of the very edit engine and writes nothing; a text that is not there is told with the closest place", async () => {
  const edit = (more: object): ScriptedCall => ({
    name: "edit_file",
    input: { path: "src/math.ts", find: "round(w * h)", replace: "round(w * h + 0)", ...more },
  });
  const { project, seen } = await play(FILES, [[edit({ preview: true }), edit({ preview: true, find: "round(w  * h)" })]]);
  expect(readFileSync(path.join(project.dir, "src/math.ts"), "utf8")).toBe(MATH);
  expect(seen[0]).toContain("nothing written yet: 1 lines added, 1 removed");
  expect(seen[0]).toContain("-  return round(w * h);\n+  return round(w * h + 0);");
  expect(seen[0]).toMatch(/the text to find is not there; closest at line 4/);
});

test("the step that decides whether the work is done sees the whole change as a diff", async () => {
  const { seen } = await play(FILES, [
    {
      name: "multi_edit",
      input: {
        edits: [
          { path: "src/math.ts", find: "area(w: number, h: number)", replace: "area(width: number, height: number)" },
          { path: "src/math.ts", find: "round(w * h)", replace: "round(width * height)" },
        ],
      },
    },
  ]);
  expect(seen[0]).toContain("-export function area(w: number, h: number): number {\n-  return round(w * h);\n+export function area(width");
  expect(seen[0]).toContain("+  return round(width * height);");
});

test("~EFF-010 EFF-011 EFF-012: notes are kept by key, told by their keys, shown on request and limited", async () => {
  const note = (input: object): ScriptedCall => ({ name: "scratchpad", input });
  const { seen, end } = await play(
    FILES,
    [
      [
        note({ key: "tried_failed", note: "first way\nsecond way" }),
        note({ key: "all", note: "no" }),
        note({ key: "big", note: "x".repeat(5000) }),
      ],
      [note({ key: "tried_failed", note: "third way" }), note({ key: "current_task", note: "areas" })],
      note({ key: "tried_failed" }),
      note({ key: "nothing" }),
      note({ key: "all" }),
    ],
    "discover",
  );
  expect(seen[0]).toContain("your notes (scratchpad shows them): tried_failed");
  expect(seen[0]).toContain("`all` means every note");
  expect(seen[0]).toContain("a note has at most 4096 bytes");
  expect(seen[0]).not.toContain("first way");
  expect(seen[2]).toContain("[tried_failed]\nthird way");
  expect(seen[3]).toContain("there is no note nothing; there are: tried_failed, current_task");
  expect(seen[4]).toContain("[current_task]\nareas");
  expect(end.status).toBe("complete");
});

test("what is read can be pinned, and stays while others come and go", async () => {
  const read = (file: string, more: object = {}): ScriptedCall => ({ name: "read_file", input: { path: file, ...more } });
  const others = ["src/math.ts", "src/app.ts", "src/math.test.ts", "docs/rules.md"].map((file) => read(file));
  const { seen } = await play(FILES, [read("src/round.ts", { pin: true }), ...others, read("src/math.ts")], "discover");
  expect(seen.at(-1)).toContain("## file:src/round.ts (pinned)");
  expect(seen.at(-1)).toContain("return Math.round(x);");
});
