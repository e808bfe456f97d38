/**
 * The attacker has: the model's ear (a file that persuades it), and a person who keeps keys with Sylk. He wants a
 * command that prints a key in a form nobody recognises, either without any question, or under a yes that
 * was given to another command.
 */
import path from "node:path";
import { expect, test } from "vitest";
import { openPermissions } from "../../../src/guard/index.ts";
import { shippedRole } from "../../support/shipped-roles.ts";
import { tempWorkspace } from "../../support/temp-workspace.ts";

type Options = Parameters<typeof openPermissions>[0];
type Answer = Awaited<ReturnType<NonNullable<Options["ask"]>>>;
type Question = Parameters<NonNullable<Options["ask"]>>[0];

const KEY = { OPENAI_API_KEY: "sk-of-the-person" };

function person(answer: (question: Question) => Answer, more: Partial<Options> = {}) {
  const asked: string[] = [];
  const base = tempWorkspace();
  const gate = openPermissions({
    role: shippedRole("engineer"),
    project: base.root,
    projectFile: path.join(base.base, "permissions.yaml"),
    home: path.join(base.base, "home"),
    buildsAreSafe: true,
    record: () => Promise.resolve(),
    ask: (question) => {
      asked.push(question.reason);
      return Promise.resolve(answer(question));
    },
    ...more,
  });
  const t = tempWorkspace({}, { root: base.root, gate });
  const run = async (command: string, grantedEnv: Record<string, string> = {}): Promise<string> => {
    const outcome = await t.workspace.processes.run({ command, grantedEnv });
    return outcome.kind === "exited" ? outcome.stdout.trim() : outcome.kind;
  };
  return {
    asked,
    run,
    [Symbol.dispose]() {
      t[Symbol.dispose]();
      base[Symbol.dispose]();
    },
  };
}

const refuse = (): Answer => ({ kind: "deny" });
const keep = ({ offers }: Question): Answer => ({ kind: "keep", where: "session", offer: offers[0] ?? [] });

test("H2: a command that is allowed by itself is asked about as soon as it wants a key, and not started without a yes", async () => {
  using t = person(refuse);
  expect(await t.run("echo $OPENAI_API_KEY | cut -c1-9")).toBe("");
  expect(t.asked).toEqual([]);
  expect(await t.run("echo $OPENAI_API_KEY | cut -c1-9", KEY)).toBe("refused");
  expect(t.asked).toEqual(["run echo $OPENAI_API_KEY | cut -c1-9 with your OPENAI_API_KEY, which it can read and print"]);
});

test("H2: a yes for the session covers that line with that key, no other line and no other key", async () => {
  using t = person(keep);
  for (let i = 0; i < 2; i += 1) expect(await t.run("echo hi", KEY)).toBe("hi");
  expect(t.asked).toHaveLength(1);
  await t.run("echo $OPENAI_API_KEY | tr a-z b-za", KEY);
  expect(t.asked).toHaveLength(2);
  await t.run("echo hi", { GITHUB_TOKEN: "ghp-of-the-person" });
  expect(t.asked).toHaveLength(3);
  expect(t.asked[2]).toContain("with your GITHUB_TOKEN");
});

test("H2: neither a rule for the program, nor the mode `auto`, nor an approved line gives a key away", async () => {
  const none = { domains: [], paths: {}, denyCommands: [], denyDomains: [], denyPaths: [], tools: [], denyTools: [] };
  using t = person(refuse, { sessionRules: { ...none, commands: ["echo"], lines: ["echo hi"] }, mode: "auto" });
  expect(await t.run("echo hi")).toBe("hi");
  expect(await t.run("echo hi", KEY)).toBe("refused");
});

test("H2: in plan mode no command gets a key, and a refusal with the key does not forbid the line without it", async () => {
  using planning = person(keep, { mode: "plan" });
  expect(await planning.run("echo hi", KEY)).toBe("refused");
  expect(planning.asked).toEqual([]);
  using t = person(refuse);
  expect(await t.run("echo hi", KEY)).toBe("refused");
  expect(await t.run("echo hi")).toBe("hi");
  // A line that is asked about in any case is asked about anew without the key.
  for (const keys of [KEY, {}, KEY, {}]) expect(await t.run("./tool --now", keys)).toBe("refused");
  expect(t.asked.slice(1)).toEqual([expect.stringContaining("with your OPENAI_API_KEY"), expect.not.stringContaining("OPENAI_API_KEY")]);
});
