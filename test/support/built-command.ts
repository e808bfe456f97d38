/** The command as it is published, built before the first test; from source where no test runner is around it. */
import path from "node:path";

const built = process.env["TEST_SYLK_BUILD"];

export const MAIN = built === undefined ? path.resolve(import.meta.dirname, "../../src/surface/cli/main.ts") : path.join(built, "main.js");

/** The same, loaded once for many command lines. */
export const WARM = built === undefined ? path.join(import.meta.dirname, "warm-sylk.ts") : path.join(built, "warm-sylk.js");
