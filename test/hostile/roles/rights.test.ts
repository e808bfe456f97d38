/** Whoever works for somebody may do what both may and no more: every role in every kind of task, mode and act. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { openPermissions, type GuardedAction } from "../../../src/guard/permissions/open-permissions.ts";
import { NO_RULES } from "../../../src/guard/permissions/rules.ts";
import { systemPaths } from "../../../src/kernel/index.ts";
import type { RoleSpec } from "../../../src/protocol/index.ts";
import type { Action } from "../../../src/step/actions/action.ts";
import { createRegistry } from "../../../src/step/actions/registry.ts";
import { planning, taskTypeOf, type TaskType } from "../../../src/step/task-type.ts";
import { shippedRoles } from "../../support/shipped-roles.ts";
import { tempDir } from "../../support/temp.ts";
import { type Capability, may } from "./rights.ts";

// A task of every role, in a real project.
vi.setConfig({ testTimeout: 300_000 });

const SOURCE = { projectDir: "/nowhere", trusts: () => false };

const registry = createRegistry();

const GROUPS = ["read", "write", "run", "end"];

/** What other floors add only writes something down. */
const known = (type: TaskType) => (name: string) => GROUPS.includes(name) || registry.get(name, type) !== undefined;

const TYPES = readdirSync(systemPaths.shipped("task-types"))
  .map((type) => taskTypeOf({ type, checks: [] }, SOURCE))
  .map((type) => ({
    ...type,
    phases: Object.fromEntries(
      Object.entries(type.phases).map(([name, phase]) => [name, { ...phase, actions: phase.actions.filter(known(type)) }]),
    ),
  }));

const names = (actions: readonly Action[]): string[] => actions.map(({ name }) => name).toSorted();

const offered = (type: TaskType, phase: string, role: RoleSpec): Action[] => registry.allowed({ type, phase, role });

const FILES = ["file_write"] as const;

const PROCESSES = ["execute", "execute_inspection"] as const;

/** A child that has of its role only what whoever sent it has too. */
const both = (parent: RoleSpec, role: RoleSpec): RoleSpec => ({
  ...role,
  capabilities: role.capabilities.filter((one) => parent.capabilities.includes(one)),
});

test("every role in every phase of every kind of task is offered only what the kind and the role allow; while it plans, nothing that changes anything", () => {
  let seen = 0;
  const wrong: string[] = [];
  const changing = (actions: readonly Action[]): Action[] => actions.filter(({ effect }) => effect === "files" || effect === "process");
  for (const type of TYPES)
    for (const phase of Object.keys(type.phases))
      for (const role of shippedRoles()) {
        const at = `${role.id} in ${type.name}/${phase}`;
        const own = offered(type, phase, role);
        seen += own.length;
        for (const { name, effect } of changing(own))
          if (!type.writes || !may(role, ...(effect === "files" ? FILES : PROCESSES))) wrong.push(`${at}: ${name}`);
        for (const { name } of changing(offered(planning(type, SOURCE), phase, role))) wrong.push(`${at}, planning: ${name}`);
        for (const parent of shippedRoles()) {
          const child = offered(type, phase, both(parent, role));
          const sent = names(offered(type, phase, parent));
          for (const name of names(child)) if (!names(own).includes(name)) wrong.push(`${at}, sent by ${parent.id}: ${name}`);
          for (const name of names(changing(child))) if (!sent.includes(name)) wrong.push(`${at}, more than ${parent.id}: ${name}`);
        }
      }
  expect(wrong).toEqual([]);
  expect(seen).toBeGreaterThan(1_000);
});

const ANYTHING = { ...NO_RULES, commands: ["make", "git", "ls", "curl"], domains: ["*"], paths: { "**": "delete" as const } };

function acts(root: string): [GuardedAction, Capability[]][] {
  const run = (line: string): GuardedAction => ({
    kind: "run",
    command: { kind: "shell", line },
    cwd: root,
    background: false,
    network: [],
  });
  const write = (operation: "create" | "delete"): GuardedAction => ({
    kind: "write",
    operation,
    path: "a.txt",
    absolute: path.join(root, "a.txt"),
    bytes: 1,
  });
  return [
    [write("create"), ["file_write"]],
    [write("delete"), ["file_write"]],
    [run("make all"), ["execute"]],
    [run("ls"), ["execute", "execute_inspection"]],
    [run("echo x > a.txt"), ["execute"]],
    [{ kind: "connect", target: "example.org", method: "any" }, ["network"]],
    [{ kind: "connect", target: "example.org", method: "read" }, ["network", "network_read"]],
  ];
}

test("no rule and no mode gives a role what it lacks, and plan mode nothing that changes", () => {
  const root = tempDir();
  const [granted, wrong]: [string[], string[]] = [[], []];
  for (const role of shippedRoles())
    for (const mode of ["default", "auto", "bypass", "plan"] as const) {
      const permissions = openPermissions({
        role,
        project: root,
        projectFile: path.join(root, "permissions.yaml"),
        home: "/home/someone",
        mode,
        buildsAreSafe: true,
        sessionRules: ANYTHING,
        record: () => Promise.resolve(),
      });
      for (const [action, needs] of acts(root)) {
        const { kind } = permissions.preview(action);
        const told = `${role.id}, ${mode}: ${JSON.stringify(action)}`;
        if (kind !== "deny" && (!may(role, ...needs) || (mode === "plan" && action.kind === "write"))) wrong.push(told);
        if (kind === "allow") granted.push(role.id);
      }
    }
  expect(wrong).toEqual([]);
  // The table would prove nothing where nobody may do anything.
  expect(new Set(granted)).toContain("engineer");
});
