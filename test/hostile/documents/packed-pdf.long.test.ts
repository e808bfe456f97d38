/**
 * The attacker controls the repository. He wants an index that never ends: a PDF of some hundred kilobytes whose page
 * unpacks to gigabytes of text.
 */
import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { knowledgeProject } from "../../support/knowledge-project.ts";

/** One page that shows these words as often as is said. */
function pdfOf(shown: string, times: number): Buffer {
  const text = Buffer.alloc((shown.length + 6) * times, `(${shown}) Tj `);
  const content = deflateSync(Buffer.concat([Buffer.from("BT /F1 12 Tf "), text, Buffer.from(" ET")]));
  const objects = [
    Buffer.from("<< /Type /Catalog /Pages 2 0 R >>"),
    Buffer.from("<< /Type /Pages /Kids [3 0 R] /Count 1 >>"),
    Buffer.from("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>"),
    Buffer.concat([Buffer.from(`<< /Length ${content.length} /Filter /FlateDecode >>\nstream\n`), content, Buffer.from("\nendstream")]),
    Buffer.from("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"),
  ].map((body, i) => Buffer.concat([Buffer.from(`${i + 1} 0 obj\n`), body, Buffer.from("\nendobj\n")]));
  const head = Buffer.from("%PDF-1.4\n");
  const at = objects.map((_, i) => Buffer.concat([head, ...objects.slice(0, i)]).length);
  const all = Buffer.concat([head, ...objects]);
  const rows = at.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  return Buffer.concat([
    all,
    Buffer.from(`xref\n0 6\n0000000000 65535 f \n${rows}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${all.length}\n%%EOF\n`),
  ]);
}

const BOMB = pdfOf("AAAAAAAAAA", 15_000_000);

test("a page that unpacks without end is given up, and known by its name alone; the rest is read", { timeout: 120_000 }, async () => {
  const { knowledge, write } = knowledgeProject({ "src/a.ts": "export const lantern = 1;\n" });
  write("docs/march.pdf", pdfOf("the invoice of march", 1));
  write("docs/bomb.pdf", BOMB);
  expect(BOMB.length).toBeLessThan(1024 * 1024);
  await knowledge.index();
  const found = (text: string): string[] => knowledge.search({ text }).map((hit) => hit.path);
  expect([found("lantern")[0], found("invoice of march")[0], found("bomb.pdf")[0]]).toEqual([
    "src/a.ts",
    "docs/march.pdf",
    "docs/bomb.pdf",
  ]);
});
