/** Creates or resumes a skill and kills itself right after the named point: a phase, or `placed:<target>`. */
import type { SkillConduct } from "../../src/forge/index.ts";
import { openApp } from "../support/lab.ts";
import { systemClock } from "../../src/kernel/index.ts";

const [cwd = "", home = "", wish = "", point = ""] = process.argv.slice(2);
const app = await openApp({ cwd, env: { PATH: "", HOME: home, SYLK_HOME: `${home}/sylk` }, clock: systemClock });
const at = (place: string): void => {
  if (place === point) process.kill(process.pid, "SIGKILL");
};
const conduct: SkillConduct = {
  approve: true,
  onCollision: "overwrite",
  onPhase: at,
  onPlaced: (target) => at(`placed:${target}`),
};
const never = new AbortController().signal;
const options = { targets: ["claude", "gemini"], template: "base", model: undefined, global: false, dryRun: false };
const outcome =
  wish === ""
    ? await app.skills.resume(undefined, { dryRun: false }, conduct, never)
    : await app.skills.create(wish, options, conduct, never);
await app.close();
process.stdout.write(outcome.kind);
