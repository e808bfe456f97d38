/**
 * A value of `.env` stands a second time in a document and in a commit's subject. Whoever can search or ask, another
 * agent over MCP included, or read the index's file must not get it from there, also where no task ever ran.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../src/kernel/index.ts";
import { openApp } from "../../support/lab.ts";
import { gitIn, knowledgeProject } from "../../support/knowledge-project.ts";
import { tempDir } from "../../support/temp.ts";

const VALUE = "tangerine42Harbour9";

test("M1: what `.env` holds is in no answer and not in the index", async () => {
  const { root } = knowledgeProject({
    ".env": `DB_PASSWORD=${VALUE}\n`,
    ".gitignore": ".env\n",
    "doc.md": `# Harbour\n\nThe lighthouse opens with ${VALUE} at night.\n`,
  });
  gitIn(root, "add", "-A");
  gitIn(root, "commit", "-q", "-m", `docs: lighthouse ${VALUE}`);
  const home = tempDir("sylk-home");
  const app = await openApp({ cwd: root, env: { PATH: process.env["PATH"], HOME: home, SYLK_HOME: home }, clock: systemClock });
  onTestFinished(() => app.close());
  const never = new AbortController().signal;
  await app.knowledge.index({ signal: never });
  const answers = [
    await app.knowledge.search({ text: "lighthouse", domain: "all", k: 10 }),
    await app.knowledge.search({ text: "lighthouse", domain: "history", k: 10 }),
    await app.knowledge.context({ text: "lighthouse", domain: "all", k: 5, maxTokens: 2_000 }),
  ];
  for (const answer of answers) {
    expect(JSON.stringify(answer)).toContain("lighthouse");
    expect(JSON.stringify(answer)).not.toContain(VALUE);
  }
  await app.close();
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.map((entry) => entry.name)).toContain("knowledge.db");
  const holding = files.filter((entry) => readFileSync(path.join(entry.parentPath, entry.name), "latin1").includes(VALUE));
  expect(holding.map((entry) => entry.name)).toEqual([]);
});
