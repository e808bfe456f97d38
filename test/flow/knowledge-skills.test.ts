/** The skills of the three roles that hold knowledge, over a real project and, where one is needed, a scripted model. */
import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { openApp, type App } from "../support/lab.ts";
import { knowledgeSkills } from "../../src/step/extensions/knowledge/all-skills.ts";
import { chooseSkills } from "../../src/step/extensions/knowledge/choose-skills.ts";
import { createKnowledgeActions } from "../../src/step/extensions/knowledge/knowledge-actions.ts";
import type { Skill, SkillResponse } from "../../src/step/extensions/knowledge/skill.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { countTokens } from "../../src/model/index.ts";
import type { Action } from "../../src/step/actions/action.ts";
import { createFlowExtension } from "../../src/flow/index.ts";
import { DEFAULT_SESSION } from "../../src/protocol/events/index.ts";
import { createTeamExtension } from "../../src/team/index.ts";
import { createRegistry, toolSpecOf } from "../../src/step/actions/registry.ts";
import { taskTypeOf } from "../../src/step/task-type.ts";
import { gitIn, writeIn } from "../support/knowledge-project.ts";
import { tempDir } from "../support/temp.ts";
import { agentActor } from "../../src/protocol/events/index.ts";
import { shippedRole } from "../support/shipped-roles.ts";

const signal = new AbortController().signal;
const FILES = {
  "src/auth/login.ts":
    'import { issueToken } from "./token.ts";\n\n/** Signs a user in. */\nexport function loginUser(name: string): string {\n  return issueToken(name);\n}\n',
  "src/auth/token.ts":
    "/** Makes a token for a user. */\nexport function issueToken(name: string): string {\n  return `token ${name}`;\n}\n\n/** Makes a ticket for a user. */\nexport function issueTicket(name: string): string {\n  return `ticket ${name}`;\n}\n\nexport class TokenStore {\n  keep(name: string): void {\n    issueToken(name);\n  }\n}\n",
};

type Run = (name: string, args: Record<string, unknown>) => Promise<SkillResponse>;

async function project(answer?: string): Promise<{ app: App; root: string; skills: Skill[]; run: Run }> {
  const root = tempDir("sylk-skills");
  const home = tempDir("sylk-home");
  gitIn(root, "init", "-q", "-b", "main");
  for (const [file, text] of Object.entries(FILES)) writeIn(root, file, text);
  if (answer !== undefined) {
    const script = path.join(home, "rules.yaml");
    writeFileSync(script, stringify({ rules: [{ when: { purpose: "answer" }, answer: { text: answer } }] }));
    writeFileSync(path.join(home, "config.yaml"), stringify({ llm: { default_model: `scripted/${script}` } }));
  }
  const app = await openApp({ cwd: root, env: { PATH: process.env["PATH"], HOME: home, SYLK_HOME: home }, clock: systemClock });
  onTestFinished(async () => app.close());
  await app.knowledge.index({ signal });
  const skills = knowledgeSkills({ knowledge: app.knowledge, root, redact: (text) => text });
  const context = {
    signal,
    state: { created: { session: "s-now", role: "archivalist", id: "t-now" } },
    callId: "t-now_1_0",
  } as unknown as Parameters<Skill["run"]>[1];
  const run: Run = async (name, args) => {
    const skill = skills.find((one) => one.name === name) as Skill;
    return skill.run(skill.schema.parse(args), context);
  };
  return { app, root, skills, run };
}

const summary = (id: string, content: string, more: Record<string, unknown> = {}) =>
  ({
    id,
    content,
    summary_type: "decision",
    session_id: "s1",
    code_references: [],
    tags: [],
    agent: "architect",
    task_id: null,
    resolved: null,
    ...more,
  }) as Parameters<App["knowledge"]["storeSummary"]>[0];

const ids = (response: SkillResponse): string[] => response.results.map((one) => one.id);

test("~SRC-002 CTX-018: whatever the role, task and goal, actions with skills stay within 800 tokens", async () => {
  const { skills, app, root } = await project();
  const knowing = createKnowledgeActions({ knowledge: app.knowledge, root, redact: (text) => text });
  const registry = createRegistry([
    ...knowing,
    ...(createFlowExtension({} as never).actions ?? []),
    ...(createTeamExtension({} as never).actions ?? []),
  ]);
  const cost = (actions: readonly Action[]): number =>
    actions
      .map(toolSpecOf)
      .reduce(
        (sum, tool) => sum + 8 + countTokens(tool.name) + countTokens(tool.description) + countTokens(JSON.stringify(tool.inputSchema)),
        0,
      );
  const everything = `find similar past patterns, compare, why did it fail, ${skills.map((one) => one.name).join(" ")}`;
  for (const name of readdirSync("task-types")) {
    const type = taskTypeOf({ type: name, checks: [] }, { projectDir: "/nowhere", trusts: () => false });
    for (const phase of Object.keys(type.prompts))
      for (const role of ["architect", "engineer", "librarian", "archivalist", "academic"])
        for (const goal of ["", everything]) {
          const task = { role, type: name, goal, inputs: {}, session: DEFAULT_SESSION } as never;
          const able = { ...shippedRole(role), capabilities: ["file_write", "execute"] as const };
          expect(cost(registry.allowed({ type, phase, role: able, task })), `${role} in ${name}`).toBeLessThanOrEqual(800);
        }
  }
});

test("~SRC-001 ~KNO-010 KNO-013: every named skill is there, and takes the names of types", async () => {
  const { app, run, root, skills } = await project();
  expect(skills.map((one) => one.name)).toEqual(
    expect.arrayContaining([
      "search_code",
      "search_history",
      "search_academic",
      "search_all",
      "smart_search",
      "find_patterns",
      "get_dependencies",
      "find_best_practices",
      "get_code_for_academic",
      "get_history_for_academic",
    ]),
  );
  expect(skills.length).toBeGreaterThanOrEqual(21);
  const takes = (name: string, args: unknown): boolean => (skills.find((one) => one.name === name) as Skill).schema.safeParse(args).success;
  for (const type of ["task_completion", "decision", "failure", "pattern", "refactoring", "bug_fix", "feature"])
    expect(takes("store_summary", { content: "x", summary_type: type })).toBe(true);
  expect(takes("store_summary", { content: "x", summary_type: "rumour" })).toBe(false);
  for (const edge of ["imports", "calls", "references", "extends", "implements", "all"])
    expect(takes("get_dependents", { symbol_id: "x", edge_type: edge })).toBe(true);
  expect(takes("get_dependents", { symbol_id: "x", edge_type: "likes" })).toBe(false);
  writeIn(
    root,
    "src/kinds.ts",
    "export function f(): void {}\nexport class C {\n  m(): void {}\n}\nexport interface I {\n  x: number;\n}\nexport const K = 1;\nexport let v = 2;\nexport type T = string;\n",
  );
  await app.knowledge.refresh({ signal });
  for (const [type, name] of [
    ["function", "f"],
    ["class", "C"],
    ["method", "m"],
    ["interface", "I"],
    ["variable", "K"],
    ["type", "T"],
  ] as const)
    expect(ids(await run("get_file_symbols", { file_path: "src/kinds.ts", symbol_type: type }))).toContain(`src/kinds.ts:${name}`);
  writeIn(root, "src/kinds.go", "package kinds\n\nconst Limit = 3\n\ntype Box struct {\n\tSize int\n}\n");
  await app.knowledge.refresh({ signal });
  for (const [type, name] of [
    ["constant", "Limit"],
    ["struct", "Box"],
  ] as const)
    expect(ids(await run("get_file_symbols", { file_path: "src/kinds.go", symbol_type: type }))).toContain(`src/kinds.go:${name}`);
  expect((await run("get_file_symbols", { file_path: "src/kinds.ts", symbol_type: "any" })).results.length).toBeGreaterThanOrEqual(6);
});

test("~SRC-002 KNO-002: a role has its own skills, further ones when its goal speaks of them, and no other role has any of them", async () => {
  const { skills } = await project();
  const offered = (role: string, goal: string) => [...chooseSkills(skills, { actions: shippedRole(role).actions, type: "discover", goal })];
  expect(offered("librarian", "x")).toEqual(expect.arrayContaining(["search_code", "get_symbol", "get_file_symbols"]));
  expect(offered("librarian", "x")).not.toContain("find_similar_symbols");
  expect(offered("librarian", "is there something similar to issueToken?")).toContain("find_similar_symbols");
  expect(offered("archivalist", "which failures are recurring patterns?")).toEqual(
    expect.arrayContaining(["store_summary", "search_history", "find_patterns"]),
  );
  expect(offered("academic", "compare JWT versus sessions")).toEqual(expect.arrayContaining(["research", "compare_approaches"]));
  expect(offered("architect", "find the past")).toEqual(["search_code"]);
  for (const role of ["engineer", "inspector", "tester", "designer", "orchestrator"]) expect(offered(role, "find the past")).toEqual([]);
});

test("~SRC-003 ~SRC-004 SRC-006 KNO-020: a search answers in one shape, with what other domains hold", async () => {
  const { app, run } = await project();
  await app.knowledge.storeSummary(summary("z", "The zebra stripes were slow."), agentActor("architect"));
  const found = await run("search_code", { query: "issueToken" });
  expect(found).toMatchObject({ status: "ok", results: expect.any(Array), also_exists_in: [] });
  expect(found.results[0]).toMatchObject({ id: "src/auth/token.ts:issueToken", path: "src/auth/token.ts", trust: 100, line_start: 1 });
  expect(await run("search_code", { query: "zebra stripes" })).toEqual({
    status: "no_matches",
    results: [],
    also_exists_in: ["history"],
    hint: "try search_history",
  });
  expect(ids(await run("search_code", { query: "token", symbol_type: "class" }))).toEqual(["src/auth/token.ts:TokenStore"]);
  expect((await run("search_code", { query: "token user", file_pattern: "**/login.ts" })).results.map((one) => one.path)).toEqual([
    "src/auth/login.ts",
  ]);
});

test("~SRC-005: all domains in one call, each with what it has or that it has nothing", async () => {
  const { app, run, skills } = await project();
  await app.knowledge.storeSummary(summary("t", "Tokens are issued once."), agentActor("architect"));
  const all = await run("search_all", { query: "token" });
  expect(ids(all)).toEqual(expect.arrayContaining(["summary:t", "src/auth/login.ts:loginUser"]));
  expect(all.suggestions).toEqual(["academic: no matches"]);
  expect(ids(await run("search_all", { query: "token", domains: ["history"] }))).toEqual(["summary:t"]);
  const skill = skills.find((one) => one.name === "search_all") as Skill;
  expect(skill.schema.safeParse({ query: "x", domains: ["weather"] }).success).toBe(false);
});

test("~SRC-007: smart search keeps its budget, repeats nothing and ends", async () => {
  const { run } = await project();
  const small = await run("smart_search", { query: "token user", token_budget: 100, thoroughness: "thorough" });
  expect(small.tokens_used).toBeLessThanOrEqual(100);
  const wide = await run("smart_search", { query: "token user", token_budget: 5_000, thoroughness: "quick" });
  expect(wide.results.length).toBeLessThanOrEqual(3);
  expect(new Set(ids(wide)).size).toBe(wide.results.length);
  expect(wide).toMatchObject({ budget: 5_000, status: "ok" });
});

test("KNO-021 ~KNO-024 KNO-025 KNO-028 VGD-046 ~VGD-047: a symbol with its source, its like, and what a file defines; unknown ids are errors", async () => {
  const { run, app, root } = await project();
  const plain = await run("get_symbol", { symbol_id: "src/auth/token.ts:issueToken" });
  expect(plain.text).toBeUndefined();
  expect(plain.results[0]?.snippet).toContain("function issueToken");
  const source = await run("get_symbol", { symbol_id: "src/auth/token.ts:issueToken", include_source: true });
  expect(source.text).toContain("return `token ${name}`");
  const actions = createKnowledgeActions({ knowledge: app.knowledge, root, redact: (text) => text });
  const unknown = await actions
    .find((one) => one.name === "get_symbol")
    ?.execute({ symbol_id: "nope", include_source: false }, {} as never);
  expect(unknown).toMatchObject({ ok: false, summary: expect.stringContaining("nothing is known under nope") });
  const similar = await run("find_similar_symbols", { symbol_id: "src/auth/login.ts:loginUser", limit: 3 });
  expect(ids(similar)).not.toContain("src/auth/login.ts:loginUser");
  expect(ids(similar).length).toBeGreaterThan(0);
  await expect(run("find_similar_symbols", { symbol_id: "nope" })).rejects.toMatchObject({ code: "KNOWLEDGE_NO_SUCH_NODE" });
  expect(ids(await run("get_file_symbols", { file_path: "src/auth/token.ts", symbol_type: "function" }))).toEqual([
    "src/auth/token.ts:issueToken",
    "src/auth/token.ts:issueTicket",
  ]);
  for (const one of similar.results)
    expect(one).toMatchObject({ id: expect.any(String), path: expect.any(String), score: expect.any(Number) });
});

test("KNO-030 ~KNO-040 KNO-072: what is stored carries the caller's session and its code; unknown code is said", async () => {
  const { app, run } = await project();
  const stored = await run("store_summary", {
    content: "Tokens are made in one place.",
    summary_type: "decision",
    code_references: ["src/auth/token.ts", "src/gone.ts"],
    session_id: "another",
  });
  const id = stored.results[0]?.id ?? "";
  expect(stored.results[0]?.snippet).toBe("stored; 1 references; unknown: src/gone.ts; kept as unverified");
  expect(app.knowledge.graph().get(id)).toMatchObject({ session: "s-now", type: "decision", domain: "history" });
  expect(
    app.knowledge
      .cross()
      .codeForHistory(id)
      .map((one) => one.node.id),
  ).toEqual(["src/auth/token.ts"]);
  expect(ids(await run("get_code_for_history", { history_id: id }))).toEqual(["src/auth/token.ts"]);
});

test("~KNO-012 KNO-031 KNO-033 KNO-036 KNO-037: filters by type, session, time and outcome are honoured; a bad time is said", async () => {
  const { app, run } = await project();
  const keep = (one: ReturnType<typeof summary>) => app.knowledge.storeSummary(one, agentActor("architect"));
  await keep(summary("d", "Login uses tokens because services share nothing."));
  await keep(summary("f1", "Login failed with empty names.", { summary_type: "failure", resolved: true, session_id: "s2" }));
  await keep(summary("f2", "Login failed behind the proxy.", { summary_type: "failure", resolved: false, session_id: "s2" }));
  expect(ids(await run("get_decisions", { query: "login" }))).toEqual(["summary:d"]);
  expect(ids(await run("find_failures", { query: "login" })).toSorted()).toEqual(["summary:f1", "summary:f2"]);
  expect(ids(await run("find_failures", { query: "login", resolved_only: true }))).toEqual(["summary:f1"]);
  expect(ids(await run("search_history", { query: "login", session_id: "s1" }))).toEqual(["summary:d"]);
  expect(ids(await run("search_history", { query: "login", summary_type: "failure" })).toSorted()).toEqual(["summary:f1", "summary:f2"]);
  expect((await run("search_history", { query: "login", since: "2999-01-01T00:00:00Z" })).status).toBe("no_matches");
  await expect(run("search_history", { query: "login", since: "last tuesday" })).rejects.toMatchObject({ code: "USAGE_BAD_TIME" });
});

test("KNO-032 KNO-038: a pattern is what several sessions say, not one event stored twice", async () => {
  const { app, run } = await project();
  const keep = (id: string, session: string, content: string) =>
    app.knowledge.storeSummary(summary(id, content, { session_id: session, summary_type: "pattern" }), agentActor("architect"));
  await keep("p1", "s1", "Retry flaky uploads with growing pauses.");
  await keep("p2", "s2", "Retry flaky uploads with growing pauses!");
  await keep("q1", "s3", "Uploads are cut into pieces.");
  await keep("q2", "s3", "Uploads are cut into pieces.");
  const patterns = await run("find_patterns", { query: "uploads" });
  expect(patterns.results).toHaveLength(1);
  expect(patterns.results[0]?.snippet).toContain("2×: pattern Retry flaky uploads");
  expect((await run("find_patterns", { query: "uploads", category: "failure" })).status).toBe("no_matches");
});

test("KNO-011 KNO-015 KNO-034: a session's history is listed in order without a query; plurals name types; a cap is told", async () => {
  const { app, run, root } = await project();
  for (let i = 0; i < 3; i += 1)
    await app.knowledge.storeSummary(summary(`s${i}`, `Thing ${i} was done.`, { session_id: "s-now" }), agentActor("architect"));
  await app.knowledge.storeSummary(summary("bad", "It broke.", { session_id: "s-now", summary_type: "failure" }), agentActor("architect"));
  const all = await run("get_session_history", {});
  expect(ids(all)).toEqual(["summary:s0", "summary:s1", "summary:s2", "summary:bad"]);
  expect(ids(await run("get_session_history", { chronological: false })).at(0)).toBe("summary:bad");
  expect(ids(await run("get_session_history", { include: "failures" }))).toEqual(["summary:bad"]);
  expect((await run("get_session_history", { session_id: "never" })).status).toBe("no_matches");
  writeIn(root, "src/many.ts", Array.from({ length: 120 }, (_, i) => `export function many${i}(): void {}\n`).join(""));
  await app.knowledge.refresh({ signal });
  const many = await run("get_file_symbols", { file_path: "src/many.ts" });
  expect(many).toMatchObject({ hint: "truncated" });
  expect(many.results).toHaveLength(100);
});

test("~KNO-050 ~KNO-053 ~KNO-054 ~KNO-057 KNO-058 ~SRC-009: research and comparison rest on cited sources; a leg without any is named", async () => {
  const { app, root, run, skills } = await project("Prefer short-lived tokens [1].");
  writeIn(root, "out/rfc.md", "# Tokens\n\nTokens should be short-lived and signed.\n");
  await app.knowledge.addDocument({ file: path.join(root, "out/rfc.md"), slug: "tokens", type: "rfc", title: "Token RFC" });
  const research = await run("research", { query: "how should tokens live?" });
  expect(research).toMatchObject({ status: "ok", text: "Prefer short-lived tokens [1]." });
  expect(research.results[0]).toMatchObject({ snippet: expect.stringContaining("[1]") });
  expect(research.tokens_used).toBeGreaterThan(0);
  await expect(run("research", { query: "tokens", include_papers: false, include_docs: false })).rejects.toMatchObject({
    code: "USAGE_NOTHING_INCLUDED",
  });
  const compared = await run("compare_approaches", { approaches: ["tokens", "qwertzuiop"] });
  expect(compared.text).toContain("[1]");
  expect(compared.suggestions).toContain("nothing is known of qwertzuiop");
  const schema = (skills.find((one) => one.name === "compare_approaches") as Skill).schema;
  expect(schema.safeParse({ approaches: ["one"] }).success).toBe(false);
  expect(schema.safeParse({ approaches: ["1", "2", "3", "4", "5"] }).success).toBe(false);
  expect(await run("synthesize_with_codebase", { topic: "token", show_gaps: true })).toMatchObject({
    status: "ok",
    text: expect.any(String),
  });
});

test("KNO-035 ~KNO-051 KNO-055 KNO-056 VGD-050 ~SRC-009: from a document to the code that follows it and the decisions that rest on it", async () => {
  const { app, root, run } = await project();
  writeIn(root, "out/practice.md", "# Signing in\n\nOne door for signing in.\n");
  await app.knowledge.addDocument({ file: path.join(root, "out/practice.md"), slug: "gateway", type: "best_practice", title: "Gateway" });
  await app.knowledge.storeSummary(summary("d", "Signing in goes through one door."), agentActor("architect"));
  await app.knowledge.link({ source: "src/auth/login.ts", target: "doc:gateway", type: "implements_pattern" }, agentActor("librarian"));
  await app.knowledge.link({ source: "summary:d", target: "doc:gateway", type: "based_on" }, agentActor("academic"));
  await app.knowledge.link({ source: "summary:d", target: "src/auth/login.ts", type: "modified" }, agentActor("archivalist"));
  expect(ids(await run("find_best_practices", { topic: "signing in" }))).toEqual(["doc:gateway"]);
  expect(ids(await run("get_code_for_academic", { academic_id: "doc:gateway" }))).toEqual(["src/auth/login.ts"]);
  expect(ids(await run("get_history_for_academic", { academic_id: "doc:gateway" }))).toEqual(["summary:d"]);
  const cross = app.knowledge.cross();
  const names = (related: { node: { id: string } }[]) => related.map(({ node }) => node.id);
  expect(names(cross.academicForCode("src/auth/login.ts:loginUser"))).toEqual(["doc:gateway"]);
  expect(names(cross.academicForHistory("summary:d"))).toEqual(["doc:gateway"]);
  expect(names(cross.codeForHistory("summary:d"))).toEqual(["src/auth/login.ts"]);
  expect(names(cross.enrich("src/auth/login.ts").history)).toEqual(["summary:d"]);
  expect(names(cross.enrich("doc:gateway").history)).toEqual(["summary:d"]);
});
