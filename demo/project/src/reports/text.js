import { lineTotal, total } from "../invoice.js";
import { formatCents } from "../money.js";

/** One line each, amounts at the right. */
export function text(invoice) {
  const row = (what, cents) => `${what.padEnd(40)}${formatCents(cents).padStart(12)}\n`;
  const lines = invoice.lines.map((line) => row(`${line.quantity} x ${line.text}`, lineTotal(line)));
  return `Invoice ${invoice.number} for ${invoice.customer}\n${lines.join("")}${row("Total", total(invoice))}`;
}
