/** What the checks said holds for the files they saw: whoever changes one while the model thinks is noticed. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { script, scriptedProject } from "../../support/scripted-project.ts";
import { startWireServer } from "../../support/wire-server/wire-server.ts";

const meanwhile: [what: string, act: (dir: string) => void][] = [
  ["changed", (dir) => writeFileSync(path.join(dir, "add.mjs"), "export const add = (a, b) => a * b;\n")],
  ["deleted", (dir) => rmSync(path.join(dir, "add.mjs"))],
];

test.each(meanwhile)(
  "1: a file that somebody %s between the checks and `complete` is checked before anything is called verified",
  async (_what, act) => {
    const project = scriptedProject(
      {
        "add.mjs": "export const add = (a, b) => a - b;\n",
        "check.mjs": 'import { add } from "./add.mjs";\nif (add(2, 3) !== 5) throw new Error("add");\n',
      },
      script([]),
    );
    await using server = await startWireServer(({ n }) => {
      if (n === 1) return { toolCalls: [{ name: "edit_file", input: { path: "add.mjs", find: "a - b", replace: "a + b" } }] };
      if (n === 2) act(project.dir);
      return { toolCalls: [{ name: n === 2 ? "complete" : "escalate", input: n === 2 ? { summary: "done" } : { reason: "it is gone" } }] };
    });
    mkdirSync(path.join(project.base, "home"), { recursive: true });
    const providers = { wire: { kind: "openai-chat", base_url: `${server.url}/v1` } };
    writeFileSync(path.join(project.base, "home/config.yaml"), stringify({ llm: { providers } }));
    const app = await project.open();
    onTestFinished(() => app.close());
    const words = { goal: "add", type: "implement_feature", role: "engineer", criteria: [], constraints: [], checks: ["node check.mjs"] };
    const id = await app.tasks.start({ ...words, model: "wire/m", profile: "minimal", maxSteps: undefined });
    const end = await app.tasks.run(id, () => undefined, new AbortController().signal);
    expect(end).toMatchObject({ verified: false, status: "escalated" });
    expect(end.steps[1]?.actions[0]).toMatch(/complete .*FAILED not complete/);
  },
);
