import { parseInvoice } from "./invoice.js";
import { reports } from "./reports/index.js";

const USAGE = "usage: invoice <file.json>\n";

/** The command without the process around it: arguments in, an exit code and text out. */
export function run(args, readFile) {
  const [file, ...more] = args;
  if (file === undefined || more.length > 0) return { code: 2, out: "", error: USAGE };
  try {
    return { code: 0, out: reports.text(parseInvoice(readFile(file))), error: "" };
  } catch (error) {
    return { code: 1, out: "", error: `${file}: ${error.message}\n` };
  }
}
