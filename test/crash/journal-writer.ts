/** Appends batches for ever and says on stdout which ones were acknowledged. Killed by its parent. */
import { systemClock } from "../../src/kernel/index.ts";
import { sqliteDriver } from "../../src/journal/index.ts";
import { noted } from "../contract/noted-event.ts";
import { signingBeside } from "./journal-signing.ts";

const [file, name] = process.argv.slice(2) as [string, string];
const store = await sqliteDriver.open({ path: file, clock: systemClock, signing: signingBeside(file) });
const start = Date.now();
for (let batch = 0; Date.now() - start < 20_000; batch += 1) {
  const size = 1 + (batch % 5);
  const stream = `w/${name}/${batch % 3}`;
  const label = `${name}:${batch}:${size}`;
  await store.journal.append(
    stream,
    "any",
    Array.from({ length: size }, (_v, i) => noted.create({ text: `${label}:${i}` }, { actor: { kind: "agent", role: name } })),
  );
  process.stdout.write(`${label}\n`);
}
