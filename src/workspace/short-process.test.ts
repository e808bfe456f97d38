import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/temp.ts";
import { startShort, type ShortRequest } from "./short-process.ts";

const NODE = process.execPath;
const folder = (): string => realpathSync(tempDir());

interface Said {
  code: number | null;
  stdout: Buffer;
  stderr: string;
}

async function run(request: Partial<ShortRequest>): Promise<Said> {
  const out: Buffer[] = [];
  let stderr = "";
  const { ended } = startShort({
    file: NODE,
    args: [],
    cwd: "/",
    env: {},
    onStdout: (chunk) => out.push(chunk),
    onStderr: (chunk) => (stderr += chunk.toString()),
    ...request,
  });
  return { code: await ended, stdout: Buffer.concat(out), stderr };
}

const script = (text: string, ...args: string[]): string[] => ["-e", text, "--", ...args];

const TELL = "console.log(JSON.stringify({ args: process.argv.slice(1), env: process.env, cwd: process.cwd() }))";

test("a program is given exactly its arguments, environment and folder, whatever is in them", async () => {
  const base = folder();
  const odd = path.join(base, "a 'b' \"c\" $(d) `e`\nf ü -");
  mkdirSync(odd);
  const args = ["", " ", "'", "''", "$HOME", "`id`", "a\nb", "-n", "\\", "*", "ü", '"', "!x", "#", ";exit 3", "%s"];
  const env = { PLAIN: "x", ODD: "'a'\n$(b) `c` \\ \"d\" ;exit", EMPTY: "", IFS: ",", PATH: "/nowhere" };
  const { code, stdout, stderr } = await run({ args: script(TELL, ...args), env, cwd: odd });
  expect([code, stderr, JSON.parse(stdout.toString())]).toEqual([0, "", { args, env, cwd: odd }]);
});

test("a name that no shell can set, and one that none may, reach it too", async () => {
  const env = { "a.b-c": "1", UID: "7" };
  const told = await run({ args: script(TELL), env });
  expect(JSON.parse(told.stdout.toString())).toMatchObject({ env });
});

const ECHO = script("process.stdin.pipe(process.stdout)");

test("input reaches it byte for byte, whatever is in it and however much it is", async () => {
  const each = Buffer.from(Array.from({ length: 256 }, (_value, byte) => byte));
  const inputs: (string | Buffer)[] = [
    "",
    "\0",
    "\n",
    "a\0b\0",
    "ends\n\n",
    "-n -- %s %% %d \\n \\101 \\0 \\c 'a' ''\"b\" $(c) `d` ;exit 3\n",
    "\\",
    "'",
    "%",
    "--",
    "ü€𝄞\ud800",
    "\u00011\u001f7\n7",
    each,
    Buffer.concat([each.toReversed(), each]),
    Buffer.alloc(16 * 1024, each),
    Buffer.alloc(16 * 1024 + 1, each),
    Buffer.alloc(3_000_000, each),
  ];
  for (const input of inputs) {
    const { code, stdout, stderr } = await run({ args: ECHO, input });
    expect([code, stderr, stdout.equals(Buffer.from(input))]).toEqual([0, "", true]);
  }
});

test("a program with a little input is started by the same shell, and ends as ever where it does not read it", async () => {
  const parent = "console.log(process.ppid)";
  const without = await run({ args: script(parent) });
  const input = Buffer.alloc(16 * 1024, "x");
  expect(await run({ args: script(parent), input })).toEqual(without);
  expect(await run({ args: script("process.exitCode = 141"), input })).toEqual({ code: 141, stdout: Buffer.alloc(0), stderr: "" });
  await expect(run({ file: path.join(folder(), "none"), input })).rejects.toMatchObject({ code: "ENOENT" });
  await expect(run({ cwd: path.join(folder(), "none"), input })).rejects.toMatchObject({ code: "ENOENT" });
  expect(await run({ args: ECHO, input: "next" })).toEqual({ code: 0, stdout: Buffer.from("next"), stderr: "" });
});

test("all it says is told apart, byte for byte, and how it ended; what asks for input finds none", async () => {
  const text = `process.stdout.write(Buffer.alloc(3_000_000, 7)); process.stderr.write("no"); process.exitCode = 129`;
  const { code, stdout, stderr } = await run({ args: script(text) });
  expect([code, stderr, stdout.equals(Buffer.alloc(3_000_000, 7))]).toEqual([129, "no", true]);
  expect(await run({ args: script("process.stdin.on('end', () => console.log('end')).resume()") })).toMatchObject({ code: 0 });
});

test("many at once do not hear each other, and one after the other use the same few shells", async () => {
  const parent = "console.log(process.ppid)";
  const said = await Promise.all(Array.from({ length: 12 }, (_value, at) => run({ args: script(`console.log(${at}); ${parent}`) })));
  expect(said.map(({ stdout }) => stdout.toString().split("\n")[0])).toEqual(Array.from({ length: 12 }, (_value, at) => String(at)));
  const shells = new Set<string>();
  for (let turn = 0; turn < 6; turn += 1) shells.add((await run({ args: script(parent) })).stdout.toString());
  expect(shells.size).toBe(1);
  expect(shells).not.toContain(`${process.pid}\n`);
});

test("a folder or a program that is not there is told as such, not as an answer", async () => {
  await expect(run({ args: script("1"), cwd: path.join(folder(), "none") })).rejects.toMatchObject({ code: "ENOENT" });
  await expect(run({ file: path.join(folder(), "none") })).rejects.toMatchObject({ code: "ENOENT" });
  await expect(run({ file: "sylk-has-no-such-program" })).rejects.toMatchObject({ code: "ENOENT" });
});

test.each([undefined, "some\0input\n", "x".repeat(16 * 1024)])(
  "killed it ends, at once or before it has begun, and the next one is started as ever",
  async (input) => {
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      let began = (): void => undefined;
      const ready = new Promise<void>((resolve) => (began = resolve));
      const request = { file: NODE, cwd: "/", env: {}, input, onStderr: () => undefined };
      const hang = "process.stdin.once('data', () => 0); console.log(1); setInterval(() => 0, 1e6)";
      const hanging = startShort({ ...request, args: script(hang), onStdout: () => began() });
      await ready;
      hanging.kill(signal);
      expect(await hanging.ended).toBeNull();
      const early = startShort({ ...request, args: script("setInterval(() => 0, 1e6)"), onStdout: () => undefined });
      early.kill(signal);
      expect(await early.ended).toBeNull();
    }
    expect(await run({ args: script("console.log(2)") })).toMatchObject({ code: 0, stdout: Buffer.from("2\n") });
  },
);

test("who started programs ends as soon as it has nothing to do, and its shells with it, also when it is killed", async () => {
  const base = folder();
  const program = path.join(base, "who.mjs");
  const where = JSON.stringify(path.join(import.meta.dirname, "short-process.ts"));
  writeFileSync(
    program,
    `import { startShort } from ${where};
const none = () => undefined;
const out = [];
const { ended } = startShort({ file: process.execPath, args: ["-p", "process.ppid"], cwd: "/", env: {}, onStdout: (chunk) => out.push(chunk), onStderr: none });
await ended;
process.stdout.write(Buffer.concat(out));
if (process.argv[2] === "stay") setInterval(none, 1e6);
`,
  );
  const over = spawnSync(NODE, [program], { encoding: "utf8" });
  expect(over.status).toBe(0);
  const child = spawn(NODE, [program, "stay"], { stdio: ["ignore", "pipe", "inherit"] });
  const shell = await new Promise<string>((resolve) => child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().trim())));
  expect(readFileSync(`/proc/${shell}/comm`, "utf8")).toMatch(/^(?:sh|dash|bash)\n$/u);
  child.kill("SIGKILL");
  for (const pid of [over.stdout.trim(), shell]) await gone(pid);
});

async function gone(pid: string): Promise<void> {
  for (;;) {
    try {
      process.kill(Number(pid), 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("what a stopped program left running does not talk into what the next one says", async () => {
  const left = startShort({
    file: "/bin/sh",
    args: ["-c", "(while :; do echo left; done) & exec sleep 1000"],
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "" },
    onStdout: () => left.kill("SIGKILL"),
    onStderr: () => undefined,
  });
  expect(await left.ended).toBeNull();
  expect((await run({ args: script("console.log('mine')") })).stdout.toString()).toBe("mine\n");
});
