/**
 * A language server for tests: complains about every line that holds BAD. Its first argument says how it misbehaves,
 * its second is a file it writes its process into, its third what a hostile one has to say.
 */
import { appendFileSync } from "node:fs";

const [how = "well", pids, words = ""] = process.argv.slice(2);
if (pids !== undefined && pids !== "") appendFileSync(pids, `${process.pid}\n`);
if (how === "dies-at-start") process.exit(3);
if (how === "deaf") process.on("SIGTERM", () => undefined).on("SIGINT", () => undefined);

let rest = Buffer.alloc(0);
let lastText = "";
function send(message) {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  process.stdout.write(`Content-Length: ${body.length}\r\n\r\n`);
  process.stdout.write(body);
}
function flood() {
  const more = () => {
    while (
      process.stdout.write(
        `Content-Length: 65600\r\n\r\n${JSON.stringify({ jsonrpc: "2.0", method: "x", params: "y".repeat(65_536 + 16) })}`,
      )
    ) {
      // As long as it is taken.
    }
    process.stdout.once("drain", more);
  };
  more();
}
const start = { line: 0, character: 0 };
const talked = () => ["", process.cwd()].map((at) => ({ uri: `file://${at}/x${words}`, range: { start, end: start } }));
const reversed = (text) => [...text].toReversed().join("");
function look({ uri, version }, text) {
  lastText = text;
  if (how === "hangs") return;
  if (how === "dies") process.exit(4);
  if (how === "floods") return flood();
  if (how === "stops") return void process.stdout.write("Content-Length: 1000\r\n\r\n{");
  if (how === "mumbles") return void process.stdout.write("Content-Length: nonsense\r\n\r\n{{{{");
  const diagnostics = text.split("\n").flatMap((line, at) => {
    const character = line.indexOf("BAD");
    const range = { start: { line: at, character }, end: { line: at, character: character + 3 } };
    return character < 0 ? [] : [{ range, severity: 1, code: "bad", message: `BAD is bad: ${line.trim()}` }];
  });
  const said = { method: "textDocument/publishDiagnostics", params: { uri, version, diagnostics } };
  if (how === "late" && version === 1) return void setTimeout(() => send(said), 300);
  if (how === "talks") {
    const one = { range: { start, end: start }, severity: 1, code: `in code\n${words}`, message: `${" ".repeat(2_000)}${words}` };
    return send({ ...said, params: { uri, version, diagnostics: [one] } });
  }
  const lies = how === "lies" ? [null, { range: "everywhere", message: 7 }, "x"] : [];
  send({ ...said, params: { uri, version, diagnostics: [...lies, ...diagnostics] } });
}
const answers = {
  initialize: () => ({ capabilities: { textDocumentSync: 1, definitionProvider: true, referencesProvider: true, renameProvider: true } }),
  "textDocument/definition": () => {
    if (how === "lies") return { uri: 5 };
    if (how === "talks") return talked();
    if (how === "breaks") return { uri: `file:///x%0A${words}`, range: { start, end: start } };
    return how === "reveals" ? { uri: `file:///${encodeURIComponent(reversed(lastText.trim()))}`, range: { start, end: start } } : null;
  },
  "textDocument/references": () => (how === "talks" ? talked() : null),
  "textDocument/rename": ({ textDocument, newName }) => {
    if (how !== "rewrites" && how !== "renames") return renamed(textDocument, newName);
    const [file, newText = newName] = words.split("=");
    const end = { line: 0, character: how === "rewrites" ? 3 : "plain".length };
    return { changes: { [textDocument.uri]: [], [`file://${process.cwd()}/${file}`]: [{ range: { start, end }, newText }] } };
  },
};
const renamed = (textDocument, newName) =>
  how === "lies"
    ? {
        changes: {
          "file:///etc/passwd": [{ range: { start: { line: 0, character: 0 }, end: { line: 0, character: 4 } }, newText: newName }],
        },
      }
    : {
        changes: {
          [textDocument.uri]: [{ range: { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } }, newText: newName }],
        },
      };
function take({ id, method, params }) {
  if (method === "textDocument/didOpen") return look(params.textDocument, params.textDocument.text);
  if (method === "textDocument/didChange") return look(params.textDocument, params.contentChanges[0].text);
  if (id === undefined || how === "silent") return;
  send({ id, result: answers[method]?.(params) ?? null });
}
process.stdin.on("data", (chunk) => {
  rest = Buffer.concat([rest, chunk]);
  for (;;) {
    const head = /^Content-Length: (\d+)\r\n(?:[^\r]+\r\n)*\r\n/.exec(rest.toString("latin1"));
    if (head === null || rest.length < head[0].length + Number(head[1])) return;
    const end = head[0].length + Number(head[1]);
    const message = JSON.parse(rest.subarray(head[0].length, end).toString("utf8"));
    rest = rest.subarray(end);
    take(message);
  }
});
if (how !== "deaf") process.stdin.on("end", () => process.exit(0));
else setInterval(() => undefined, 1_000);
