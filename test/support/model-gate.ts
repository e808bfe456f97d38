/** A gate over a rule file in a temp folder, with a real store when asked for. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import { stringify } from "yaml";
import { type Store, sqliteDriver } from "../../src/journal/index.ts";
import { systemClock, type Clock } from "../../src/kernel/index.ts";
import {
  machineModelViews,
  modelConfigSchema,
  openModelGate,
  projectModelViews,
  type ModelGate,
  type ModelGateOptions,
  type ModelRequest,
  type StreamPart,
} from "../../src/model/index.ts";
import { tempDir } from "./temp.ts";
import type { z } from "zod";

export type ModelConfigInput = z.input<typeof modelConfigSchema>;

export const never = new AbortController().signal;

/** No waiting between attempts. */
export const FAST_RETRY = {
  transient: { initial_delay: "0ms" },
  external_rate_limit: { initial_delay: "0ms" },
  external_degrading: { initial_delay: "0ms" },
};

export function modelRequest(overrides: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: "scripted/rules.yaml",
    system: "You are careful.",
    user: "Say hello to Ada.",
    tools: [],
    maxOutputTokens: 100,
    role: "engineer",
    session: "s1",
    task: "t1",
    step: 1,
    phase: "implement",
    purpose: "step",
    priority: 60,
    lane: "pipeline",
    ...overrides,
  };
}

export interface GateSetup {
  rules?: unknown[];
  config?: ModelConfigInput;
  clock?: Clock;
  cwd?: string;
  options?: Partial<ModelGateOptions>;
}

export function openTestGate({
  rules = [],
  config = {},
  clock = systemClock,
  cwd = tempDir(),
  options = {},
}: GateSetup): ModelGate & { cwd: string } {
  if (rules.length > 0) writeFileSync(path.join(cwd, "rules.yaml"), stringify({ rules }));
  const gate = openModelGate({
    config: modelConfigSchema.parse({ retry: FAST_RETRY, ...config }),
    env: {},
    clock,
    cwd,
    redact: (text) => text,
    random: () => 0,
    ...options,
  });
  onTestFinished(() => gate[Symbol.asyncDispose]());
  return Object.assign(gate, { cwd });
}

export async function openTestStore(kind: "project" | "machine" = "project"): Promise<Store> {
  const store = await sqliteDriver.open({
    path: path.join(tempDir(), `${kind}.db`),
    clock: systemClock,
    durability: "process",
    views: kind === "project" ? projectModelViews : machineModelViews,
  });
  onTestFinished(() => store.close());
  return store;
}

export async function collectParts(stream: AsyncIterable<StreamPart>): Promise<StreamPart[]> {
  const parts: StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}
