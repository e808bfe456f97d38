/** Puts requests together from what the rest of the house offers. Opened on first use. */
import type { FlowParts } from "../flow/index.ts";
import type { Questions, Store } from "../journal/index.ts";
import { once, type Clock, type Log } from "../kernel/index.ts";
import type { SessionApi } from "../session/index.ts";
import type { StepEngine, TaskApi, TaskTrees } from "../step/index.ts";
import type { Config } from "./config-schema.ts";

export interface SessionWiring {
  existing: () => Promise<Store | undefined>;
  store: () => Promise<Store>;
  screen: (text: string) => Promise<string>;
  projectDir: string;
  tasks: TaskApi;
  engine: () => Promise<StepEngine>;
  trees: TaskTrees;
  questions: Questions;
  clock: Clock;
  memory: { used(): number };
  log: Log;
  config: () => Pick<Config, "team" | "worktree">;
  health: FlowParts["health"];
}

export function wireSession({
  existing,
  store,
  screen,
  projectDir,
  trees,
  config,
  memory,
  ...parts
}: SessionWiring): () => Promise<SessionApi> {
  const session = once(async () => {
    const { createSessionApi } = await import("../session/index.ts");
    return createSessionApi({
      existing,
      screen,
      projectDir,
      resources: { seats: () => config().team.seats, memory, memoryMark: () => config().team.memory_mark },
      parts: async () => {
        const { team: now, worktree } = config();
        return {
          ...parts,
          store: await store(),
          trees: trees.shared,
          taskTrees: trees,
          limits: {
            writers: now.writers,
            attempts: now.attempts,
            repairs: now.repairs,
            secondTry: now.second_try,
            phaseMs: now.phase_timeout,
            pipelineMs: now.pipeline_timeout,
            mergeMs: now.merge_timeout,
            spawnMs: now.spawn_timeout + (worktree.setup === null ? 0 : worktree.setup_timeout),
            modelMs: now.model_timeout,
            classify: now.classify,
            askBelow: now.ask_below,
          },
        };
      },
    });
  });
  return session.get;
}
