/** Whoever looks at the whole is told what was read before, piece by piece, and is shown what nobody read as it stands. */
import { expect, test, vi } from "vitest";
import { planOf, simplePiece, teamProject, testOf } from "../../support/team-project.ts";

// A whole request with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

/** A file that both pieces add a function to, one at its beginning and one at its end. */
const SHARED = "src/voices.js";
const plain = (name: string): string => `export const ${name} = (text) => \`${name} \${text}\`;\n\n`;
const MIDDLE = ["high", "low", "thin"].map(plain).join("");

function inShared(name: string, content: string): ReturnType<typeof simplePiece> {
  const test = testOf("plain", name, "../src/voices.js", `assert.equal(${name}("a"), "${name} a")`);
  return simplePiece(name, { visible: { [`test/${name}.test.js`]: test }, builds: [{ [SHARED]: content }] });
}

/** Runs a request to its end: what each of its tasks was given, and whoever looked at the whole. */
async function looksAt(project: ReturnType<typeof teamProject>): Promise<{ all: Record<string, string>[]; whole: Record<string, string> }> {
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  expect((await app.api.send({ type: "request.run", id })).status).toBe("done");
  const { position: until } = await app.api.query({ type: "journal.head" });
  const looks = new Set<string>();
  const given = new Map<string, Record<string, string>>();
  for await (const { type, payload } of app.api.events(
    { types: ["request.task_opened", "task.created"], until },
    0,
    new AbortController().signal,
  )) {
    const fact = payload as { purpose?: string; task?: string; id?: string; inputs?: Record<string, string> };
    if (type === "task.created") given.set(fact.id ?? "", fact.inputs ?? {});
    else if (fact.purpose === "inspect") looks.add(fact.task ?? "");
  }
  await app.close();
  return { all: [...given.values()], whole: given.get([...looks][0] ?? "") ?? {} };
}

test("files that stand as they were reviewed are named by piece and commit, and what two pieces made together is shown", async () => {
  const pieces = [inShared("calm", `${plain("calm")}${MIDDLE}`), inShared("loud", `${MIDDLE}${plain("loud")}`)];
  const plan = planOf(pieces);
  // Nobody foresaw that they meet in one file, so both are built at once.
  const nodes = plan.nodes.map((node) => ({ ...node, files: node.files.filter((file) => file !== SHARED) }));
  const { whole } = await looksAt(teamProject({ ...plan, nodes }, pieces, { [SHARED]: MIDDLE }));
  const reviewed = whole["what was reviewed already, piece by piece"] ?? "";
  expect(reviewed).toMatch(/^n1 calm, as it stands at [\da-f]{10}: .*test\/calm\.test\.js/mu);
  expect(reviewed).toMatch(/^n2 loud, as it stands at [\da-f]{10}: .*test\/loud\.test\.js/mu);
  expect(reviewed.match(/different since, and shown: src\/voices\.js/gu)).toHaveLength(2);
  expect(reviewed).toContain("what only the whole can show");
  const shown = [...(whole["the change"] ?? "").matchAll(/^diff --git a\/(\S+)/gmu)].map(([, file]) => file);
  expect(shown).toEqual([SHARED]);
});

test("what was only named, cut or moved was read by nobody: each line of code is before somebody, and first before whoever looks at the whole", async () => {
  const evil = "// EVILCODE\nexport const boot = 1;\n";
  const long = Array.from({ length: 300 }, (_, n) => `export const long${n} = "a line of a long file ${n}";\n`).join("");
  const [one, two] = [simplePiece("calm"), simplePiece("loud", { after: ["n1"] })];
  const pieces = [
    { ...one, builds: [{ ...one.builds[0], "data/boot.lock": evil, "src/README.loader.js": evil, "src/long.js": long }] },
    { ...two, builds: [{ ...two.builds[0], "src/boot.js": evil }] },
  ];
  const { all, whole } = await looksAt(teamProject(planOf(pieces), pieces));
  const changes = all.map((inputs) => inputs["the change"] ?? "");
  for (const file of ["data/boot.lock", "src/README.loader.js", "src/boot.js"])
    expect(changes.filter((text) => text.includes(`diff --git a/${file} b/${file}\nnew file mode 100644\n+// EVILCODE\n`))).toHaveLength(1);
  expect(whole["the change"]).toMatch(/^diff --git a\/src\/long\.js /u);
  const reviewed = whole["what was reviewed already, piece by piece"] ?? "";
  expect(reviewed).toContain("(read by nobody yet, and first in the change: src/long.js)");
  expect(reviewed).toMatch(/: data\/boot\.lock, src\/README\.loader\.js, src\/calm\.js/u);
});
