/** Swaps the folder `d` for a link to `outside` and back until the file `stop` appears. Prints how often. */
import { existsSync, renameSync, symlinkSync, unlinkSync } from "node:fs";
import path from "node:path";

const root = process.argv[2] ?? "";
const at = (name: string): string => path.join(root, name);
let rounds = 0;
let aside = 0;

/** Sylk makes folders that are missing, so a step may find one in its way; it is moved aside. */
function put(act: () => void): void {
  for (;;) {
    try {
      act();
      return;
    } catch {
      if (existsSync(at("d"))) renameSync(at("d"), at(`aside${(aside += 1)}`));
    }
  }
}

process.stdout.write("ready\n");
while (!existsSync(at("../stop"))) {
  renameSync(at("d"), at("kept"));
  put(() => symlinkSync("../outside", at("d")));
  unlinkSync(at("d"));
  put(() => renameSync(at("kept"), at("d")));
  rounds += 1;
}
process.stdout.write(`${rounds}\n`);
