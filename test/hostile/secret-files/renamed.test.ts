/**
 * The attacker is the model. A file whose contents never leave the machine lies in the project; he wants to
 * see it by giving it a harmless name, by previewing a change of it, or by an edit that nearly fits.
 */
import path from "node:path";
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { openPermissions, type Permissions } from "../../../src/guard/index.ts";
import type { PermissionGate } from "../../../src/workspace/index.ts";
import { tempWorkspace, type TempWorkspace } from "../../support/temp-workspace.ts";
import { shippedRole } from "../../support/shipped-roles.ts";

const SECRET = "correct horse battery staple 77";
const FILES = {
  "conf/credentials.json": `{"phrase": "${SECRET}"}\n`,
  ".ssh/config": `Host ${SECRET}\n`,
  ".env": `PHRASE=${SECRET}\n`,
  "plain.txt": "text\n",
};

function gateOf({ root, base }: Pick<TempWorkspace, "root" | "base">): Permissions {
  const projectFile = path.join(base, "none.yaml");
  return openPermissions({ role: shippedRole("engineer"), project: root, projectFile, home: base, record: () => Promise.resolve() });
}

function scene(): TempWorkspace {
  const late: { gate?: PermissionGate } = {};
  const scene = tempWorkspace(FILES, { gate: { decide: (action, signal) => (late.gate as PermissionGate).decide(action, signal) } });
  late.gate = gateOf(scene);
  return scene;
}

test("M5: a file that may not be read cannot be moved to a name that may", async () => {
  using t = scene();
  expect(await t.workspace.files.read({ path: "conf/credentials.json" })).toMatchObject({ kind: "refused", rule: "sensitive_file" });
  for (const [from, to] of [
    ["conf/credentials.json", "conf/c.txt"],
    [".env", "env.txt"],
  ] as const) {
    expect(await t.workspace.files.apply([{ kind: "move", from, to }])).toMatchObject({ kind: "refused", rule: "sensitive_file" });
    expect(existsSync(path.join(t.root, to))).toBe(false);
  }
  expect(readFileSync(path.join(t.root, "conf/credentials.json"), "utf8")).toContain(SECRET);
  expect(await t.workspace.files.apply([{ kind: "move", from: "plain.txt", to: "other.txt" }])).toMatchObject({ kind: "changed" });
});

test("M5: neither a preview nor a failed edit quotes it", async () => {
  using t = scene();
  const preview = await t.workspace.files.previewDiff([{ kind: "write", path: "conf/credentials.json", content: "{}\n" }]);
  expect(preview).toMatchObject({ kind: "refused", rule: "sensitive_file" });
  const edit = [{ kind: "edit" as const, path: "conf/credentials.json", edits: [{ find: '{"phrase": "correct horse"}', replace: "x" }] }];
  for (const outcome of [await t.workspace.files.apply(edit), await t.workspace.files.preview(edit)]) {
    expect(outcome.kind).toBe("no_match");
    expect(JSON.stringify(outcome)).not.toContain("battery");
  }
});

test.each([
  "mv conf/credentials.json c.txt",
  "cp conf/credentials.json c.txt",
  "git mv conf/credentials.json c.txt",
  "ln conf/credentials.json c.txt",
  "mv .ssh ssh",
  "cp -r .ssh ssh",
])("M5: a command gives it no other name unasked either: %s", (line) => {
  using t = scene();
  const gate = gateOf(t);
  expect(gate.preview({ kind: "run", command: { kind: "shell", line }, cwd: t.root, background: false, network: [] }).kind).not.toBe(
    "allow",
  );
});

test("what commands may not see of a home folder is not read there by hand either, but for a project that stands in it", async () => {
  using t = tempWorkspace({
    ".config/gh/hosts.yml": `token: ${SECRET}\n`,
    ".config/editor/settings": "tabs\n",
    ".claude/project/readme": "mine\n",
    "moved/config.json": `auth: ${SECRET}\n`,
  });
  const readBy = (project: string, name: string) => {
    const gate = openPermissions({
      role: shippedRole("engineer"),
      project: path.join(t.root, project),
      projectFile: path.join(t.base, "none.yaml"),
      home: t.root,
      env: { DOCKER_CONFIG: path.join(t.root, "moved") },
      record: () => Promise.resolve(),
    });
    return gate.preview({ kind: "read", path: name, absolute: path.join(t.root, name) });
  };
  const refused = { kind: "deny", source: { by: "sensitive_file" } };
  expect(readBy(".config", ".config/gh/hosts.yml")).toMatchObject(refused);
  expect(readBy(".", "moved/config.json")).toMatchObject(refused);
  expect(readBy(".config", ".config/editor/settings")).toMatchObject({ kind: "allow" });
  // What a link of the home brings into a project is the same file.
  mkdirSync(path.join(t.root, "dotfiles"));
  renameSync(path.join(t.root, ".config/gh"), path.join(t.root, "dotfiles/gh"));
  symlinkSync(path.join(t.root, "dotfiles/gh"), path.join(t.root, ".config/gh"));
  expect(readBy("dotfiles", "dotfiles/gh/hosts.yml")).toMatchObject(refused);
  expect(readBy(".claude/project", ".claude/project/readme")).toMatchObject({ kind: "allow" });
});
