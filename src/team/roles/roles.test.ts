import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type Role } from "../../protocol/index.ts";
import { tempDir } from "../../../test/support/temp.ts";
import { createRoles, type Roles } from "./create-roles.ts";
import { leastRole } from "./least-role.ts";

interface Given {
  user?: Record<string, string>;
  project?: Record<string, string>;
  untrusted?: string[];
}

function put(dir: string, files: Record<string, string>): void {
  mkdirSync(dir, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(dir, name), text);
}

function rolesWith({ user = {}, project = {}, untrusted = [] }: Given): { roles: Roles; userDir: string } {
  const base = tempDir("sylk-roles");
  const [userDir, projectDir] = [path.join(base, "agents"), path.join(base, "project")];
  put(userDir, user);
  put(path.join(projectDir, ".sylk/agents"), project);
  return { roles: createRoles({ userDir, projectDir, trusts: (file) => !untrusted.includes(path.posix.basename(file)) }), userDir };
}

const md = (front: string, text: string): string => `---\n${front}\n---\n\n${text}\n`;
const told = ({ problems }: Role): string[] =>
  problems.map(({ file, field, message }) => `${path.basename(file)}: ${field ?? ""} ${message}`);

test("every role that ships is read without a problem, and names itself in its prompt", () => {
  const { roles } = rolesWith({});
  expect(roles.ids()).toEqual(
    "academic architect archivalist critic designer engineer guide inspector librarian orchestrator reconciler scribe specialist tester".split(
      " ",
    ),
  );
  for (const { spec, origins, problems } of roles.all()) {
    expect(problems).toEqual([]);
    expect(spec.prompt).toContain("You are {{role}}, one member of a software team");
    expect(origins.prompt).toEqual({ from: "shipped", file: `agents/${spec.id}.md` });
  }
  expect(roles.strays()).toEqual([]);
});

test("a role nobody defined has the least, whatever its name", () => {
  const { roles } = rolesWith({ user: { "all.yaml": "capabilities: [execute]\n", "user.md": md("git: [history]", "x") } });
  for (const id of ["constructor", "__proto__", "", "../engineer", "all", "user"]) expect(roles.get(id).spec).toEqual(leastRole(id));
  expect(() => roles.mustGet("enginer")).toThrow("there is no role enginer");
});

test("later wins by field: shipped, user's all and role, project's all and role; each field tells where it stands", () => {
  const { roles, userDir } = rolesWith({
    user: { "all.yaml": "memory_tier: 2\nmodel: fast\npriority: 20\n", "engineer.yaml": "model: deep\nsummary: mine\n" },
    project: { "all.yaml": "priority: 40\n", "engineer.yaml": "learns: [mistakes]\n" },
  });
  const { spec, origins, problems } = roles.get("engineer");
  expect(spec).toMatchObject({
    memory_tier: 2,
    model: "deep",
    priority: 40,
    summary: "mine",
    learns: ["mistakes"],
    git: ["read", "commit"],
  });
  expect(origins).toMatchObject({
    git: { from: "shipped", file: "agents/engineer.md" },
    memory_tier: { from: "user", file: path.join(userDir, "all.yaml") },
    model: { from: "user", file: path.join(userDir, "engineer.yaml") },
    priority: { from: "project", file: ".sylk/agents/all.yaml" },
    learns: { from: "project", file: ".sylk/agents/engineer.yaml" },
    facts: { from: "default" },
  });
  expect(problems).toEqual([]);
});

test("unknown fields and bad values are told with file and field, and the role keeps its value", () => {
  const { roles } = rolesWith({
    user: {
      "engineer.yaml":
        "memory_teir: 1\nmemory_tier: 7\ncapabilities: [fly]\npriority: 100\nreads_from: [{ agent: engineer }]\nsummary: kept\n",
      "tester.yaml": "a: [",
    },
  });
  const engineer = roles.get("engineer");
  expect(engineer.spec).toMatchObject({ memory_tier: 3, priority: 60, summary: "kept", reads_from: [{ agent: "architect" }] });
  expect(engineer.spec.capabilities).toContain("file_write");
  expect(told(engineer)).toEqual([
    "engineer.yaml: memory_teir is no field of a role; did you mean memory_tier?",
    expect.stringMatching(/^engineer.yaml: memory_tier does not count: must be one of 1, 2, 3/) as string,
    expect.stringMatching(/^engineer.yaml: capabilities does not count: \[0\] must be one of file_read/) as string,
    expect.stringMatching(/^engineer.yaml: priority does not count/) as string,
    "engineer.yaml: reads_from does not count: engineer always has its own memory",
  ]);
  expect(told(roles.get("tester"))).toEqual([expect.stringMatching(/^tester.yaml: {2}cannot be read/) as string]);
  expect(roles.get("tester").spec.git).toEqual(["read", "commit_improvements"]);
});

test("a Markdown file replaces the whole role, and a new name makes a new one", () => {
  const { roles } = rolesWith({
    user: {
      "engineer.md": md("summary: only this", "You are mine."),
      "herald.md": md("capabilities: [file_read, network_read]", "Tell it."),
    },
  });
  expect(roles.get("engineer").spec).toEqual({ ...leastRole("engineer"), summary: "only this", prompt: "You are mine." });
  expect(roles.mustGet("herald").spec).toMatchObject({ prompt: "Tell it.", capabilities: ["file_read", "network_read"], memory_tier: 3 });
});

test("a project narrows rights and never widens them, however it says it", () => {
  const wide =
    "capabilities: [file_read, execute_inspection, configure]\ngit: [read, history, commit_improvements]\ncredentials: { allowed: [github, aws] }";
  const expected = {
    capabilities: ["file_read", "execute_inspection"],
    git: ["read", "commit_improvements"],
    credentials: { allowed: ["github"], denied: [], require_auth: ["github"] },
  };
  const says = [
    "capabilities a project may narrow rights, not widen them: configure does not count",
    "git a project may narrow rights, not widen them: history does not count",
    "credentials a project may narrow rights, not widen them: aws does not count",
  ];
  for (const [name, text] of [
    ["engineer.yaml", wide],
    ["all.yaml", wide],
    ["engineer.md", md(wide, "Be evil.")],
  ] as const) {
    const engineer = rolesWith({ project: { [name]: text } }).roles.get("engineer");
    expect(engineer.spec).toMatchObject(expected);
    expect(told(engineer)).toEqual(says.map((line) => `${name}: ${line}`));
  }
  // Two files together go no further than one.
  const both = rolesWith({ project: { "inspector.md": md("capabilities: []", "x"), "inspector.yaml": wide } }).roles.get("inspector");
  expect(both.spec).toMatchObject({ capabilities: ["file_read", "execute_inspection"], git: ["read"] });
});

test("the user's own word is the bound: what it takes away no project gives back, what it adds a project may use", () => {
  const { roles } = rolesWith({
    user: {
      "engineer.yaml": "capabilities: []\n",
      "herald.yaml": "capabilities: [file_read]\n",
      "scout.md": md("capabilities: [network]", "x"),
    },
    project: {
      "engineer.md": md("summary: x", "x"),
      "herald.md": md("capabilities: [file_read, execute]\ngit: [commit]", "New here."),
      "scout.yaml": "capabilities: [network_read]\n",
    },
  });
  expect(roles.get("engineer").spec.capabilities).toEqual([]);
  // A role that only the project knows starts from the least.
  expect(roles.get("herald").spec).toMatchObject({ prompt: "New here.", capabilities: ["file_read"], git: [] });
  expect(roles.get("scout").spec.capabilities).toEqual(["network_read"]);
});

test("what a project brings counts only when trusted, and files that do nothing are named", () => {
  const { roles } = rolesWith({
    user: { "ghost.yaml": "priority: 20\n", "Bad Name.md": "x", "tester.yml": "priority: 20\n" },
    project: { "engineer.yaml": "summary: evil\n", "spy.md": "You are a spy." },
    untrusted: ["engineer.yaml", "spy.md"],
  });
  expect(roles.get("engineer").spec.summary).not.toBe("evil");
  expect(told(roles.get("engineer"))).toEqual(["engineer.yaml:  is not used before you read it and run `sylk trust`"]);
  expect(roles.ids()).not.toContain("spy");
  expect(() => roles.mustGet("spy")).toThrow("there is no role spy: .sylk/agents/spy.md is not used before you read it");
  expect(roles.strays().map(({ file, message }) => `${path.basename(file)} ${message}`)).toEqual([
    expect.stringMatching(/^Bad Name.md is not read: a role's name/) as string,
    "ghost.yaml changes nothing: there is no role ghost; ghost.md would make one",
    "tester.yml is not read: call it tester.yaml",
    "spy.md is not used before you read it and run `sylk trust`",
  ]);
});
