/**
 * The services Sylk can hold a key for, each in one record: credentials, `auth test`, the model gate and
 * `sylk doctor` all read it. A further model provider that speaks a known protocol is one more record.
 */
export interface Service {
  /** Variables that may hold its key, strongest first, the best-known last. */
  keys: readonly string[];
  /** Variables that move it elsewhere. */
  baseUrls: readonly string[];
  /** How its models are spoken to; absent: it has none. */
  model?: {
    kind: "anthropic" | "openai" | "google" | "compatible";
    /** Used when nobody says another; absent: the protocol's own. */
    baseUrl?: string;
    keyOptional?: boolean;
    /** What the base URL must end with, where people leave it out. */
    versionPath?: string;
  };
  /** The lightest call that tells whether a key is accepted. */
  check?: { url: (base: string) => string; baseUrl: string; headers: (key: string) => Record<string, string> };
}

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

export const SERVICES: Readonly<Record<string, Service>> = {
  anthropic: {
    keys: ["SYLK_ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY"],
    baseUrls: ["ANTHROPIC_BASE_URL"],
    model: { kind: "anthropic", versionPath: "/v1" },
    check: {
      url: (base) => `${base.replace(/\/v1$/, "")}/v1/models?limit=1`,
      baseUrl: "https://api.anthropic.com",
      headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
    },
  },
  openai: {
    keys: ["SYLK_OPENAI_API_KEY", "OPENAI_API_KEY"],
    baseUrls: ["OPENAI_BASE_URL"],
    model: { kind: "openai" },
    check: { url: (base) => `${base}/models`, baseUrl: "https://api.openai.com/v1", headers: bearer },
  },
  google: {
    keys: ["SYLK_GOOGLE_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"],
    baseUrls: ["GOOGLE_GEMINI_BASE_URL"],
    model: { kind: "google", versionPath: "/v1beta" },
    check: {
      url: (base) => `${base}/models?pageSize=1`,
      baseUrl: "https://generativelanguage.googleapis.com/v1beta",
      headers: (key) => ({ "x-goog-api-key": key }),
    },
  },
  openrouter: {
    keys: ["SYLK_OPENROUTER_API_KEY", "OPENROUTER_API_KEY"],
    baseUrls: ["OPENROUTER_BASE_URL"],
    model: { kind: "compatible", baseUrl: "https://openrouter.ai/api/v1" },
    check: { url: (base) => `${base}/key`, baseUrl: "https://openrouter.ai/api/v1", headers: bearer },
  },
  ollama: {
    keys: ["SYLK_OLLAMA_API_KEY", "OLLAMA_API_KEY"],
    baseUrls: ["OLLAMA_HOST"],
    model: { kind: "compatible", baseUrl: "http://127.0.0.1:11434", keyOptional: true, versionPath: "/v1" },
  },
  /** A server of one's own gets the plain name only, never a key stored for OpenAI. */
  compatible: { keys: ["OPENAI_API_KEY"], baseUrls: ["OPENAI_BASE_URL"], model: { kind: "compatible", keyOptional: true } },
  github: {
    keys: ["SYLK_GITHUB_TOKEN", "GITHUB_TOKEN", "GH_TOKEN"],
    baseUrls: ["GITHUB_API_URL"],
    check: {
      url: (base) => `${base}/user`,
      baseUrl: "https://api.github.com",
      headers: (key) => ({ ...bearer(key), "user-agent": "sylk" }),
    },
  },
  aws: { keys: ["SYLK_AWS_SECRET_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY"], baseUrls: [] },
  figma: { keys: ["SYLK_FIGMA_TOKEN", "FIGMA_TOKEN"], baseUrls: [] },
  serpapi: { keys: ["SYLK_SERPAPI_API_KEY", "SERPAPI_API_KEY"], baseUrls: [] },
  voyage: { keys: ["SYLK_VOYAGE_API_KEY", "VOYAGE_API_KEY"], baseUrls: [] },
};
