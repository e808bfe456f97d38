/** Embedding answers in the OpenAI and Google shapes: three numbers that depend on the text only. */
function vectorOf(text: string): number[] {
  return [text.length, text.charCodeAt(0) || 0, text.charCodeAt(text.length - 1) || 0];
}

export function embeddingAnswer(path: string, body: Record<string, unknown>): unknown {
  if (path.endsWith("/embeddings")) {
    const input = body["input"] as string[];
    return {
      object: "list",
      model: body["model"],
      data: input.map((text, index) => ({ object: "embedding", index, embedding: vectorOf(text) })),
      usage: { prompt_tokens: input.length * 3, total_tokens: input.length * 3 },
    };
  }
  if (path.includes(":batchEmbedContents")) {
    const requests = body["requests"] as { content: { parts: { text: string }[] } }[];
    return { embeddings: requests.map((one) => ({ values: vectorOf(one.content.parts.map((part) => part.text).join("")) })) };
  }
  if (path.includes(":embedContent")) {
    const content = body["content"] as { parts: { text: string }[] };
    return { embedding: { values: vectorOf(content.parts.map((part) => part.text).join("")) } };
  }
  return undefined;
}
