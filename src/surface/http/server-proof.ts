/**
 * Whoever holds a port could ask for the token, so a server first proves that it knows it: with a keyed hash of a
 * number the client made up and of its own port. A proof fetched from a server on another port is worth nothing here.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const PATH = "/proof";
const HEADER = "sylk-proof";
const NONCE = /^[0-9a-f]{64}$/u;

function proofOf(token: string, port: string, nonce: string): string {
  return createHmac("sha256", token).update(`sylk server\0${port}\0${nonce}`).digest("hex");
}

/** The answer to a client that asks for the proof; undefined for any other request. */
export function answerProof(request: Request, token: string, port: number): Response | undefined {
  const url = new URL(request.url);
  const nonce = url.searchParams.get("nonce") ?? "";
  if (request.method !== "GET" || url.pathname !== PATH || !NONCE.test(nonce)) return undefined;
  return new Response(null, { status: 204, headers: { [HEADER]: proofOf(token, String(port), nonce) } });
}

/** Asks the server behind an address, without the token, and tells whether it knows it. */
export async function isProven(url: string, token: string, signal: AbortSignal): Promise<boolean> {
  const nonce = randomBytes(32).toString("hex");
  const response = await fetch(new URL(`${PATH}?nonce=${nonce}`, url), { redirect: "error", signal });
  await response.body?.cancel();
  const given = Buffer.from(response.headers.get(HEADER) ?? "");
  const expected = Buffer.from(proofOf(token, new URL(url).port || "80", nonce));
  return given.length === expected.length && timingSafeEqual(given, expected);
}
