import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { tempDir } from "../../../test/support/temp.ts";
import { type Journal, sqliteDriver } from "../../journal/index.ts";
import { SylkError, systemClock } from "../../kernel/index.ts";
import { modelConfigSchema } from "../config.ts";
import { machineModelViews } from "../views.ts";
import { Breakers, type Permit } from "./breakers.ts";

const target = { provider: "anthropic", model: "m" };
const config = modelConfigSchema.parse({ breaker: { consecutive_failures: 2, success_threshold: 2 } }).breaker;
const down = new SylkError({ code: "MODEL_UNAVAILABLE", tier: "external_degrading", message: "500" });
const unreachable = new SylkError({ code: "MODEL_UNREACHABLE", tier: "external_degrading", message: "refused" });
const limited = new SylkError({ code: "MODEL_RATE_LIMITED", tier: "external_rate_limit", message: "429" });

async function sharedJournal(): Promise<Journal> {
  const store = await sqliteDriver.open({
    path: path.join(tempDir(), "machine.db"),
    clock: systemClock,
    durability: "process",
    views: machineModelViews,
  });
  onTestFinished(() => store.close());
  return store.journal;
}

function breakers(clock: ManualClock, journal: Journal | undefined, owner: string, changes: string[] = []): Breakers {
  return new Breakers({
    config,
    clock,
    journal,
    owner,
    onChange: (id, before, after) => changes.push(`${id} ${before.state}->${after.state}`),
  });
}

async function permit(from: Breakers, of = target): Promise<Permit> {
  const got = await from.admit(of);
  if (got instanceof SylkError) throw got;
  return got;
}

test("MUL-021 MUL-022 MUL-025: a breaker tripped in one process is open in another, and only one of them probes", async () => {
  const journal = await sharedJournal();
  const clock = new ManualClock();
  const changes: string[] = [];
  const one = breakers(clock, journal, "one", changes);
  const two = breakers(clock, journal, "two");
  await (await permit(two)).succeeded();
  for (let i = 0; i < 2; i += 1) await (await permit(one)).failed(down);
  expect(changes).toEqual(["llm:anthropic/m closed->open"]);

  await clock.advance(1000);
  expect(await two.admit(target)).toMatchObject({ code: "MODEL_BREAKER_OPEN", tier: "external_degrading" });
  expect(await two.tripped()).toMatchObject([{ id: "llm:anthropic/m", record: { state: "open" } }]);

  await clock.advance(30_000);
  const answers = await Promise.all([one.admit(target), two.admit(target)]);
  const winners = answers.filter((answer) => !(answer instanceof SylkError)) as Permit[];
  expect(winners).toHaveLength(1);
  await winners[0]?.succeeded();
  await (await permit(two)).succeeded();
  await clock.advance(1000);
  await (await permit(one)).succeeded();
  expect(await one.tripped()).toEqual([]);
});

test("~ERR-037: rate limits, user-fixable errors and cancelled calls do not count; a freed probe can be taken again", async () => {
  const clock = new ManualClock();
  const one = breakers(clock, undefined, "one");
  for (let i = 0; i < 5; i += 1) await (await permit(one)).failed(limited);
  for (let i = 0; i < 5; i += 1) await (await permit(one)).dropped();
  for (let i = 0; i < 2; i += 1) await (await permit(one)).failed(down);
  await clock.advance(30_000);
  await (await permit(one)).dropped();
  await (await permit(one)).failed(limited);
  await (await permit(one)).succeeded();
  await (await permit(one)).succeeded();
  expect(await one.tripped()).toEqual([]);
});

test("~ERR-038: an endpoint that cannot be reached stops all its models, a failing model only itself", async () => {
  const clock = new ManualClock();
  const one = breakers(clock, undefined, "one");
  const other = { ...target, model: "other" };
  for (let i = 0; i < 2; i += 1) await (await permit(one)).failed(down);
  expect(await one.admit(target)).toBeInstanceOf(SylkError);
  await (await permit(one, other)).succeeded();
  for (let i = 0; i < 2; i += 1) await (await permit(one, other)).failed(unreachable);
  expect(await one.admit(other)).toMatchObject({ details: { resource: "llm:anthropic" } });
});

test("ERR-036 MUL-026: a reset closes it for everybody at once", async () => {
  const journal = await sharedJournal();
  const clock = new ManualClock();
  const one = breakers(clock, journal, "one");
  const two = breakers(clock, journal, "two");
  for (let i = 0; i < 2; i += 1) await (await permit(one)).failed(down);
  await two.reset("llm:anthropic/m");
  await clock.advance(1000);
  await (await permit(one)).succeeded();
  expect(await one.tripped()).toEqual([]);
});
