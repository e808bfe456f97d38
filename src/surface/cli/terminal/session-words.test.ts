import { expect, test } from "vitest";
import { isSaid, readWords } from "./session-words.ts";

test.each(["librarian", "sql-reviewer", "qa_2"])("who is listed can be asked by name: @%s", (role) => {
  expect(readWords(`@${role} where is it?`, [], [role])).toEqual({
    kind: "command",
    args: ["exec", "--role", role, "--type", "discover", "--no-checks", "--", "where is it?"],
  });
  expect(isSaid(`@${role}: where is it?`, [role])).toBe(false);
  expect(readWords(`@${role} where is it?`, [], ["sql"])).toEqual({ kind: "command", args: ["run", "--", `@${role} where is it?`] });
});
