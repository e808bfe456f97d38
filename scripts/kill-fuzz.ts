/** `node scripts/kill-fuzz.ts [kills] [seed]`: whole commands, killed at random instants and given again; nothing may be lost, done twice or left behind. */
import { killCommands, type Kills } from "../test/crash/kill-commands.ts";
import { seededRandom } from "../test/fuzz/random.ts";

const [wanted, seed] = [Number(process.argv[2] ?? 2_000), Number(process.argv[3] ?? 1)];
const line = ({ kills, stories, wrong }: Kills): string => `${kills} kills in ${stories} stories, ${wrong.length} wrong`;

let said = 0;
const told = await killCommands(wanted, seededRandom(seed), (now) => {
  if (now.wrong.length > said) process.stderr.write(`${now.wrong.slice(said).join("\n")}\n`);
  said = now.wrong.length;
  process.stderr.write(`${line(now)}\n`);
});
process.stdout.write(`${line(told)}\n${JSON.stringify(told.by)}\n`);
process.exitCode = told.wrong.length === 0 ? 0 : 1;
