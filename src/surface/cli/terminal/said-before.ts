/** What the user said in this project before, oldest first, from the journal: requests, and tasks of their own. */
import type { CliContext } from "../command.ts";

const LOOKED_AT = 60;

export async function saidBefore({ query }: Pick<CliContext, "query">): Promise<string[]> {
  const requests = await query({ type: "request.list", limit: LOOKED_AT });
  const tasks = await query({ type: "task.list", limit: LOOKED_AT });
  const own = tasks.filter(({ session }) => !session.startsWith("req_"));
  const all = [
    ...requests.map(({ words, created_at: at }) => ({ text: words, at })),
    ...own.map(({ goal, created_at: at }) => ({ text: `/task ${goal}`, at })),
  ].toSorted((a, b) => a.at - b.at);
  return [...new Set(all.map(({ text }) => text))];
}
