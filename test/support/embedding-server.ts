/** A loopback server with the OpenAI embedding shape whose vectors know a few meanings: words of one concept point the same way. */
import http from "node:http";
import type { AddressInfo } from "node:net";

const CONCEPTS = [
  ["pet", "dog", "puppy", "cat", "animal"],
  ["money", "invoice", "bill", "charge", "payment", "debt"],
  ["login", "authenticate", "credential", "password"],
  ["weather", "rain", "storm", "forecast"],
];

export interface EmbeddingServer extends AsyncDisposable {
  readonly url: string;
  /** Texts of every call so far. */
  readonly calls: string[][];
  dimensions: number;
  /** Answers with this status instead. */
  failWith: number | undefined;
  /** Awaited before a call to this model is answered. */
  before: ((model: string) => Promise<void>) | undefined;
}

function hashOf(word: string): number {
  let hash = 7;
  for (const char of word) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) % 1_000_003;
  return hash;
}

export function vectorOf(text: string, dimensions: number): number[] {
  const vector = Array.from({ length: dimensions }, () => 0.01);
  for (const word of text.toLowerCase().match(/[a-z]+/gu) ?? []) {
    const concept = CONCEPTS.findIndex((words) => words.includes(word));
    const at = concept >= 0 ? concept : CONCEPTS.length + (hashOf(word) % (dimensions - CONCEPTS.length));
    vector[at] = (vector[at] ?? 0) + (concept >= 0 ? 3 : 0.3);
  }
  return vector;
}

export async function startEmbeddingServer(dimensions = 32): Promise<EmbeddingServer> {
  const state: Pick<EmbeddingServer, "calls" | "dimensions" | "failWith" | "before"> = {
    calls: [],
    dimensions,
    failWith: undefined,
    before: undefined,
  };
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    const answer = async (): Promise<void> => {
      const { input, model } = JSON.parse(Buffer.concat(parts).toString()) as { input: string[]; model: string };
      await state.before?.(model);
      response.writeHead(state.failWith ?? 200, { "content-type": "application/json" });
      if (state.failWith !== undefined) {
        response.end(JSON.stringify({ error: { message: "no embeddings today" } }));
        return;
      }
      state.calls.push(input);
      response.end(
        JSON.stringify({
          object: "list",
          model,
          data: input.map((text, index) => ({ object: "embedding", index, embedding: vectorOf(text, state.dimensions) })),
          usage: { prompt_tokens: input.length, total_tokens: input.length },
        }),
      );
    };
    request.on("end", () => void answer());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}
