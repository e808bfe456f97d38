import { text } from "./text.js";

/** Everything an invoice can be shown as, by name. */
export const reports = {
  text,
};
