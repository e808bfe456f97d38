/** Kills writing processes at random instants and checks what is left. */
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import path from "node:path";
import { expect } from "vitest";
import { systemClock } from "../../src/kernel/index.ts";
import { sqliteDriver } from "../../src/journal/index.ts";
import { signingBeside } from "./journal-signing.ts";

/** Runs one writer until it is killed; returns the batches it saw acknowledged. */
function killedWriter(file: string, name: string): Promise<string[]> {
  const child = spawn(process.execPath, [path.resolve("test/crash/journal-writer.ts"), file, name], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  let armed = false;
  return new Promise((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString();
      if (armed) return;
      armed = true;
      setTimeout(() => child.kill("SIGKILL"), randomInt(0, 40));
    });
    // Only whole lines were acknowledged.
    child.on("close", () => resolve(out.split("\n").slice(0, -1)));
  });
}

export async function killWriters(file: string, rounds: number, writersAtOnce: number): Promise<number> {
  const acknowledged: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const names = Array.from({ length: writersAtOnce }, (_v, i) => `r${round}w${i}`);
    acknowledged.push(...(await Promise.all(names.map((name) => killedWriter(file, name)))).flat());
  }
  await using store = await sqliteDriver.open({ path: file, clock: systemClock, signing: signingBeside(file) });
  expect(store.refusal).toBeUndefined();
  expect(await store.admin.verify()).toMatchObject({ valid: true, problems: [] });
  const texts = new Map<string, number>();
  for (let after = 0; ;) {
    const events = await store.journal.readAll({ after, limit: 5_000 });
    for (const event of events) {
      const label = (event.payload as { text: string }).text.split(":").slice(0, 3).join(":");
      texts.set(label, (texts.get(label) ?? 0) + 1);
    }
    if (events.length < 5_000) break;
    after = events.at(-1)?.position ?? after;
  }
  const missing = acknowledged.filter((label) => !texts.has(label));
  const halves = [...texts].filter(([label, count]) => count !== Number(label.split(":")[2]));
  expect(missing).toEqual([]);
  expect(halves).toEqual([]);
  return acknowledged.length;
}
