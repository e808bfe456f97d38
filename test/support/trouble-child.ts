/**
 * Started by `src/workspace/trouble.test.ts` under bad conditions (no rights, no disk, no git); does
 * one thing with a workspace and prints what came of it as JSON.
 */
import path from "node:path";
import { systemClock, SylkError } from "../../src/kernel/index.ts";
import { keptRepository, openWorkspace } from "../../src/workspace/index.ts";

const [what = "", root = "", user = "", file = "locked/a.txt"] = process.argv.slice(2);
if (user !== "" && process.getuid?.() === 0) process.setuid?.(Number(user));

async function act(): Promise<unknown> {
  if (what === "repository") return (await keptRepository({ root, stateDir: path.join(root, "../state"), clock: systemClock })()).kind;
  const workspace = openWorkspace({
    root,
    gate: { decide: () => Promise.resolve({ kind: "allow", rule: "test" }) },
    redact: (text) => text,
    clock: systemClock,
    tempDir: path.join(root, "../temp"),
  });
  if (what === "write-big") {
    return workspace.files.apply([
      { kind: "write", path: "small.txt", content: "changed\n" },
      { kind: "write", path: "big.txt", content: "x".repeat(200_000) },
    ]);
  }
  return workspace.files.apply([{ kind: "write", path: file, content: "changed\n" }]);
}

try {
  console.log(JSON.stringify({ outcome: await act() }));
} catch (error) {
  console.log(JSON.stringify({ error: SylkError.is(error) ? error.toJSON() : String(error) }));
}
