/** A terminal that is closed, a reader that went away, bytes that are no text: what runs ends, and nothing is left behind. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test, vi } from "vitest";
import { MAIN as SYLK } from "../support/built-command.ts";
import { atPty, quote } from "../support/closable-terminal.ts";
import { script, scriptedProject } from "../support/scripted-project.ts";
import { NO_TERMINAL } from "../support/terminal.ts";
import { FILES, END } from "./closed-terminal.ts";

vi.setConfig({ testTimeout: 240_000 });

test.skipIf(NO_TERMINAL !== undefined)(
  "bytes that are no text, and control characters outside a paste, are typed as marks or not at all",
  async () => {
    const here = scriptedProject(FILES, script([END]));
    const { child, sees, screen } = atPty(here.dir, { ...here.env, SYLK_LLM_DEFAULT_MODEL: here.rules });
    await sees("ready");
    child.stdin.write(Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0x80, 0xf0, 0x9f]));
    child.stdin.write("\u0003");
    child.stdin.write("/compact\r");
    await sees("nothing to compact");
    child.stdin.write("\u0003\u0003");
    await once(child, "close");
    expect(screen()).not.toContain("Error");
  },
);

test("whoever reads along goes away: it ends without a word and without an error", async () => {
  const here = scriptedProject(
    Object.fromEntries(Array.from({ length: 400 }, (_v, i) => [`file-${i}.mjs`, "export const a = 1;\n"])),
    script([END]),
  );
  const child = spawn("sh", ["-c", `${quote(process.execPath)} ${quote(SYLK)} config list | head -1; echo over`], {
    cwd: here.dir,
    env: here.env,
  });
  const [out, err] = [child.stdout, child.stderr].map((stream) => {
    const parts: Buffer[] = [];
    stream.on("data", (part: Buffer) => parts.push(part));
    return parts;
  });
  await once(child, "close");
  expect(Buffer.concat(out ?? []).toString("utf8")).toMatch(/^[^\n]+\nover\n$/u);
  expect(Buffer.concat(err ?? []).toString("utf8")).toBe("");
});
