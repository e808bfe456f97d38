/**
 * A model behind the real provider, with every fault a server has: late, dripping, cut off, unreadable, limited,
 * failing, silent, and answers that call what is not there. What it wants next follows from what the journal says was done.
 */
import { openaiChatWire } from "../../support/wire-server/openai-chat-wire.ts";
import type { Random } from "../../fuzz/random.ts";
import type { Life } from "../timeline.ts";
import type { ToolCall } from "./sim-project.ts";
import type { ModelFaults } from "./task-scenario.ts";

export interface ModelFate {
  random: Random;
  faults: () => ModelFaults;
  moment(life: Life, what: string, afterMs: number): Promise<void>;
  note(text: string): void;
}

const SLOW_MS = 40_000;
const DRIP_MS = 1_500;
const RETRY_AFTER_S = 20;

function faultOf({ random, faults }: ModelFate): keyof ModelFaults | undefined {
  let roll = random();
  for (const [kind, rate] of Object.entries(faults())) {
    if (roll < rate) return kind as keyof ModelFaults;
    roll -= rate;
  }
  return undefined;
}

function abortOf(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = (): void => reject(signal?.reason as Error);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}

function refusal(status: number): Response {
  const headers = { "content-type": "application/json", ...(status === 429 ? { "retry-after": String(RETRY_AFTER_S) } : {}) };
  return new Response(JSON.stringify(openaiChatWire.errorBody(status, "as the simulation wills")), { status, headers });
}

const WRONG: readonly ToolCall[] = [
  { name: "make_coffee", input: {} },
  { name: "edit_file", input: { path: 7 } },
  { name: "read_file", input: { path: "../../outside.txt" } },
];

export async function answerAs(
  fate: ModelFate,
  life: Life,
  { n, wanted, signal }: { n: number; wanted: ToolCall; signal: AbortSignal | undefined },
): Promise<Response> {
  const fault = faultOf(fate);
  const aborted = abortOf(signal);
  aborted.catch(() => undefined);
  const wait = (what: string, ms: number): Promise<void> => Promise.race([fate.moment(life, what, ms), aborted]);
  fate.note(`model ${n}: ${wanted.name}${fault === undefined ? "" : `, ${fault}`}`);
  await wait("is answered by the model", fault === "slow" ? fate.random() * SLOW_MS : fate.random() * 100);
  if (fault === "limited") return refusal(429);
  if (fault === "failing") return refusal(503);
  if (fault === "silent") return aborted;
  const call = fault === "wrongTool" ? (WRONG[Math.floor(fate.random() * WRONG.length)] as ToolCall) : wanted;
  const request = { n, protocol: "openai-chat", model: "m", path: "", headers: {}, body: {} } as const;
  const frames = openaiChatWire.frames({ toolCalls: [call] }, request).map(({ data }) => `data: ${data}\n\n`);
  if (fault === "malformed")
    frames.splice(2, frames.length - 4, 'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"argu\n\n');
  const end = fault === "cut" ? Math.floor(fate.random() * frames.length) : frames.length;
  const pieces = fault === "drip" ? frames.slice(0, end) : [frames.slice(0, end).join("")];
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const piece = pieces.shift();
        if (fault === "drip") await wait("hears a word of the model", fate.random() * DRIP_MS);
        if (piece !== undefined) controller.enqueue(new TextEncoder().encode(piece));
        else if (fault === "cut") controller.error(new Error("the connection was lost"));
        else controller.close();
      } catch (error) {
        controller.error(error);
      }
    },
  });
  return new Response(body, { status: 200, headers: { "content-type": "text/event-stream" } });
}
