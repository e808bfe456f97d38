/** Models, what they have cost, and the project's own tools. */
import { SylkError } from "../../kernel/index.ts";
import type { Result } from "../../protocol/api/index.ts";
import type { CommandHandlers, QueryHandlers } from "../create-api.ts";
import type { ModelApi, ModelTest, UsageApi } from "../../model/index.ts";
import type { Tools } from "../../tooling/index.ts";
import { wire } from "./wire.ts";

export interface ModelParts {
  models: ModelApi;
  usage: UsageApi;
  tools: () => Promise<Tools["api"]>;
}

function testReport({ asked, result }: ModelTest): Result<"model.test"> {
  if (result.kind === "failed" || result.kind === "budget") throw result.error;
  if (result.kind === "aborted")
    throw new SylkError({ code: "USAGE_CANCELLED", tier: "user_fixable", message: `stopped: ${result.reason}` });
  const { usage, metrics, provider, model, costUsd, attempts } = result;
  const first = metrics.timeToFirstTokenMs;
  return {
    asked,
    answered: `${provider}/${model}`,
    ms: Math.round(metrics.totalMs),
    ...(first === undefined ? {} : { first_word_ms: Math.round(first) }),
    usage: wire(usage),
    cost_usd: costUsd,
    attempts,
  };
}

export function modelHandlers({ models, usage, tools }: ModelParts) {
  return {
    commands: {
      "model.test": async ({ model }, signal) => testReport(await models.test(model, signal)),
      "model.reset": async ({ breaker }) => {
        await models.reset(breaker);
        return null;
      },
      "sandbox.test": async () => (await tools()).sandboxTest(),
    } satisfies Partial<CommandHandlers>,
    queries: {
      "model.resolve": async ({ model }) => ({ id: await models.resolve(model) }),
      "model.served": ({ url }, signal) => models.served(url, signal),
      "model.list": async ({ ask }, signal) => wire(await models.list(ask === true ? signal : undefined)),
      "model.cassette": async ({ file }) => models.cassette(file),
      "model.tripped": () => models.tripped(),
      "usage.report": async ({ by, where = {}, period }) => wire(await usage.report({ by, where, period })),
      "tool.discover": async (_, signal) => wire(await (await tools()).discover({ signal })),
      "sandbox.status": async () => (await tools()).sandboxStatus(),
    } satisfies Partial<QueryHandlers>,
  };
}
