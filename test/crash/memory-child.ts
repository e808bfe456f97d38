/** Saves so many entries to one sidecar, one after another. */
import { openApp } from "../support/lab.ts";
import { systemClock } from "../../src/kernel/index.ts";

const [cwd = "", home = "", name = "", count = "0"] = process.argv.slice(2);
const app = await openApp({
  cwd,
  env: { PATH: "", HOME: home, SYLK_HOME: `${home}/sylk`, SYLK_MEMORY_PLACE: "project" },
  clock: systemClock,
});
const entry = { body: "b", type: "process", status: "active", sprint: "", related: [] };
for (let i = 0; i < Number(count); i += 1)
  await app.memory.save("architect", { ...entry, title: `${name}-${i}` }, { dryRun: false, archive: false }, new AbortController().signal);
await app.close();
