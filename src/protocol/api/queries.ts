/** Everything that may be asked to be told, by type. Nothing changes by it. */
import type { OutputOf, ParsedOf, Sent } from "./define-call.ts";
import { goalQueries } from "./goal.ts";
import { guardQueries } from "./guard.ts";
import { journalQueries } from "./journal.ts";
import { knowledgeQueries } from "./knowledge.ts";
import { memoryQueries } from "./memory.ts";
import { modelQueries } from "./model.ts";
import { projectQueries } from "./project.ts";
import { questionQueries } from "./question.ts";
import { skillQueries } from "./skill.ts";
import { taskQueries } from "./task.ts";

export const queries = {
  ...goalQueries,
  ...guardQueries,
  ...journalQueries,
  ...knowledgeQueries,
  ...memoryQueries,
  ...modelQueries,
  ...projectQueries,
  ...questionQueries,
  ...skillQueries,
  ...taskQueries,
};

type Queries = typeof queries;
export type QueryType = keyof Queries;
export type Query<T extends QueryType = QueryType> = { [K in T]: Sent<Queries, K> }[T];
export type QueryInput<T extends QueryType> = ParsedOf<Queries[T]>;
export type Result<T extends QueryType> = OutputOf<Queries[T]>;
