/** What is wrong with an input, in words for the user who wrote it, not in those of the checker. */
import type { ZodError } from "zod";

type Issue = ZodError["issues"][number];

function placeOf(path: readonly PropertyKey[]): string {
  return path.map((part, i) => (typeof part === "number" ? `[${part}]` : `${i === 0 ? "" : "."}${String(part)}`)).join("");
}

function saying(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.message.endsWith("received undefined") ? "is missing" : `must be ${issue.expected}`;
    case "unrecognized_keys":
      return `has no ${issue.keys.join(", ")}`;
    case "invalid_value":
      return `must be one of ${issue.values.map(String).join(", ")}`;
    case "invalid_union": {
      const ways = new Set(issue.errors.map((one) => one.map((inner) => `${placeOf(inner.path)} ${saying(inner)}`.trim()).join(" and ")));
      return ways.size === 0 ? "is not as expected" : [...ways].join(", or ");
    }
    case "invalid_format":
      return issue.message.startsWith("Invalid") ? "is written in another way than expected" : issue.message;
    default:
      return issue.message.replace(/^(?:Invalid input|Too small|Too big): /u, "");
  }
}

export function plainIssues(error: ZodError): string {
  return error.issues.map((issue) => `${placeOf(issue.path)} ${saying(issue)}`.trim()).join("; ");
}
