/**
 * Signing in to a server, in two halves: the address where the user agrees, and what comes back from there. In between
 * nothing is kept but in memory. In a task tokens are used and renewed, and nobody is sent anywhere.
 */
import { randomUUID } from "node:crypto";
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientInformationMixed,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthTokens,
} from "@modelcontextprotocol/client";
import { must, SylkError, withDeadline, type Clock } from "../../kernel/index.ts";
import { boundedFetch } from "../../workspace/index.ts";
import { mcpBroken } from "./mcp-broken.ts";
import type { Reach } from "./server-list.ts";
import type { SignIn, SignIns } from "./sign-ins.ts";

/** Where nobody can be sent, this is never gone to. */
const NOWHERE = "http://127.0.0.1/callback";

/** Tokens of one address. */
export class StoredOAuth implements OAuthClientProvider {
  readonly #signIns: SignIns;
  readonly #url: string;
  readonly #redirect: string | undefined;
  /** Registered by hand, or made anew for each sign-in: where one is sent back to is part of it. */
  #client: SignIn["client"] | undefined;
  #verifier: string | undefined;
  readonly #state = randomUUID();
  /** Where the user agrees. */
  sentTo: URL | undefined;

  constructor(signIns: SignIns, url: string, login?: { redirect: string; client?: SignIn["client"] | undefined }) {
    this.#signIns = signIns;
    this.#url = url;
    this.#redirect = login?.redirect;
    this.#client = login?.client;
  }

  get redirectUrl(): string {
    return this.#redirect ?? NOWHERE;
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: "Sylk",
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
  }

  state(): string {
    return this.#state;
  }

  clientInformation(): SignIn["client"] | undefined {
    return this.#redirect === undefined ? this.#signIns.of(this.#url)?.client : this.#client;
  }

  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.#client = client;
  }

  tokens(): SignIn["tokens"] {
    // Whoever signs in anew is not let in by what there was before.
    return this.#redirect === undefined ? this.#signIns.of(this.#url)?.tokens : undefined;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.#signIns.keep(this.#url, { client: must(this.clientInformation()), tokens });
  }

  redirectToAuthorization(url: URL): void {
    if (this.#redirect === undefined) throw new UnauthorizedError("the sign-in has ended");
    this.sentTo = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return must(this.#verifier);
  }

  /** Only an answer to this very question is one. */
  isMine(callback: URLSearchParams): boolean {
    return callback.get("state") === this.#state;
  }
}

export interface LoginParts {
  name: string;
  reach: Extract<Reach, { kind: "http" }>;
  signIns: SignIns;
  redirectUrl: string;
  /** Known to the server already, where the user registered it there. */
  client?: SignIn["client"] | undefined;
  version: string;
  clock: Clock;
  limits: { startMs: number; maxBytes: number };
  signal: AbortSignal;
}

export type BegunLogin = { kind: "signed_in" } | { kind: "redirect"; url: string; end: (callback: URLSearchParams) => Promise<void> };

function refused(name: string, why: string): SylkError {
  return new SylkError({
    code: "MCP_LOGIN_REFUSED",
    tier: "user_fixable",
    message: `signing in to ${name} failed: ${why}`,
    fix: `try \`sylk mcp login ${name}\` again`,
  });
}

export async function beginLogin(parts: LoginParts): Promise<BegunLogin> {
  const { name, reach, signIns, redirectUrl, client: known, version, clock, limits, signal } = parts;
  const provider = new StoredOAuth(signIns, reach.url, { redirect: redirectUrl, client: known });
  const transport = new StreamableHTTPClientTransport(new URL(reach.url), {
    fetch: boundedFetch(limits.maxBytes),
    requestInit: { headers: { ...reach.headers } },
    authProvider: provider,
  });
  const client = new Client({ name: "sylk", version }, { versionNegotiation: { mode: "auto" } });
  try {
    await withDeadline({ clock, timeoutMs: limits.startMs, what: `connecting to the MCP server ${name}`, signal }, (stop) =>
      client.connect(transport, { signal: stop }),
    );
    await client.close();
    return { kind: "signed_in" };
  } catch (error) {
    signal.throwIfAborted();
    if (provider.sentTo === undefined)
      throw SylkError.is(error) ? error : mcpBroken(name, `offers no way to sign in: ${String(error)}`, error);
  }
  return {
    kind: "redirect",
    url: must(provider.sentTo).href,
    async end(callback) {
      if (!provider.isMine(callback)) throw refused(name, "the answer belongs to another sign-in");
      if (callback.get("error") !== null) throw refused(name, callback.get("error_description") ?? callback.get("error") ?? "");
      try {
        await transport.finishAuth(callback);
      } catch (error) {
        throw refused(name, String(error));
      }
    },
  };
}
