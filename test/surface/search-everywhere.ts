/** What `search-everywhere.test.ts` and its long form share. */
import { knowledgeProject } from "../support/knowledge-project.ts";

export function shop() {
  const project = knowledgeProject({
    "src/session.ts":
      'import { readCookie } from "./cookie.ts";\n\n/** Brings a visitor back to the session. */\nexport function resumeSession(id: string): string {\n  return readCookie(id);\n}\n',
    "src/cookie.ts": "/** A cookie of the visitor. */\nexport function readCookie(name: string): string {\n  return name;\n}\n",
    "src/price.ts": "export function totalPrice(items: number[]): number {\n  return items.length;\n}\n",
    "test/session.test.ts": 'import { resumeSession } from "../src/session.ts";\nresumeSession("visitor session");\n',
    "docs/guide.md":
      "# resumeSession\n\nVisitors come back to their session through a cookie: resumeSession, resumeSession, resumeSession.\n",
  });
  project.commit("feat: visitors keep their session");
  return project;
}
