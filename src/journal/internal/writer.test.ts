import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { systemClock } from "../../kernel/index.ts";
import { Writer } from "./writer.ts";

test("what follows from a job is done once, when it is committed and before the listeners hear of it, and never when it was taken back, alone or beside others", async () => {
  const db = new DatabaseSync(":memory:");
  db.exec("CREATE TABLE t (n INTEGER)");
  const told: string[] = [];
  const options = { clock: systemClock, busyTimeoutMs: 1_000, path: "memory", onTrouble: () => undefined, mustStand: () => undefined };
  const writer = new Writer(db, options);
  writer.onCommit(() => told.push("commit"));
  const job = (name: string, fails: boolean) =>
    writer.run(() => {
      db.exec("INSERT INTO t VALUES (1)");
      writer.whenCommitted(() => told.push(name));
      if (fails) throw new Error(`no room for ${name}`);
    });
  await expect(job("alone", true)).rejects.toThrow("no room for alone");
  expect(told).not.toContain("alone");
  const beside = await Promise.allSettled([job("first", false), job("second", true), job("third", false)]);
  expect(beside.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(told.filter((one) => one !== "commit")).toEqual(["first", "third"]);
  expect(db.prepare("SELECT count(*) AS n FROM t").get()).toEqual({ n: 2 });
  await job("later", false);
  expect(told.slice(-2)).toEqual(["later", "commit"]);
  expect(told.filter((one) => one !== "commit")).toEqual(["first", "third", "later"]);
  await writer.close();
  db.close();
});
