/** Files that belong to one, from what is known: its tests, what it uses, what uses it, what usually changes with it. */
import { SylkError } from "../../../kernel/index.ts";
import type { RelatedFile } from "../../actions/action.ts";
import type { ProjectKnowledge } from "../../../knowledge/index.ts";

const MAX_RELATED = 30;

export async function relatedFiles(knowledge: ProjectKnowledge, file: string, signal: AbortSignal): Promise<RelatedFile[]> {
  await knowledge.refresh({ signal });
  try {
    const why = await knowledge.why({ path: file }, signal);
    const used = knowledge
      .graph()
      .traverse(file, { direction: "outgoing", edges: ["imports"] })
      .flatMap(({ node }) => node.path ?? []);
    const reasons = new Map<string, string[]>();
    const add = (path: string, reason: string): void => {
      if (path !== file) reasons.set(path, [...(reasons.get(path) ?? []), reason]);
    };
    for (const path of why.tests) add(path, "tests it");
    for (const path of used) add(path, "used by it");
    for (const path of why.importedBy) add(path, "uses it");
    for (const { path, times } of why.together) add(path, `changed with it ${times} times`);
    return [...reasons].slice(0, MAX_RELATED).map(([path, all]) => ({ path, why: [...new Set(all)].join(", ") }));
  } catch (error) {
    if (SylkError.is(error, "KNOWLEDGE_NO_SUCH_NODE") || SylkError.is(error, "KNOWLEDGE_NO_SUCH_FILE")) return [];
    throw error;
  }
}
