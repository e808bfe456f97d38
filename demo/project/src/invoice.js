/** Reads an invoice from JSON text; throws what is wrong with it. */
export function parseInvoice(text) {
  const { number, customer, lines } = JSON.parse(text);
  if (typeof number !== "string" || typeof customer !== "string") throw new Error("an invoice needs a number and a customer");
  if (!Array.isArray(lines) || lines.length === 0) throw new Error("an invoice needs lines");
  for (const line of lines) {
    if (!Number.isInteger(line.quantity) || !Number.isInteger(line.price)) throw new Error(`${line.text}: quantity and price are whole numbers`);
  }
  return { number, customer, lines };
}

/** What a line costs, in cents. */
export function lineTotal({ quantity, price }) {
  return quantity * price;
}

/** What the invoice costs, in cents. */
export function total({ lines }) {
  return lines.reduce((sum, line) => sum + lineTotal(line), 0);
}
