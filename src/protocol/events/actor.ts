/**
 * Who did it. The log has one spelling: `user`, `agent/<role>` (with its run: `agent/<role>/<run>`),
 * `system/<part>`. Journals of earlier versions have three more, and all of them are understood.
 */
export type Actor =
  | { readonly kind: "user" }
  | { readonly kind: "agent"; readonly role: string; readonly run?: string | undefined }
  | { readonly kind: "system"; readonly part: string };

export const USER: Actor = { kind: "user" };

/** Parts of the house that act on their own. */
export const SYSTEM = {
  engine: { kind: "system", part: "engine" },
  monitor: { kind: "system", part: "monitor" },
  model: { kind: "system", part: "model" },
  forge: { kind: "system", part: "forge" },
} as const satisfies Record<string, Actor>;

export function agentActor(role: string, run?: string): Actor {
  return run === undefined ? { kind: "agent", role } : { kind: "agent", role, run };
}

function spell(actor: Actor): string {
  switch (actor.kind) {
    case "user":
      return "user";
    case "agent":
      return actor.run === undefined ? `agent/${actor.role}` : `agent/${actor.role}/${actor.run}`;
    case "system":
      return `system/${actor.part}`;
  }
}

/** As parts were written before they had a kind. */
const EARLIER_PARTS: ReadonlyMap<string, Actor> = new Map<string, Actor>([
  ["engine", SYSTEM.engine],
  ["goal-monitor", SYSTEM.monitor],
  ["model", SYSTEM.model],
  ["forge", SYSTEM.forge],
]);

function read(text: string): Actor {
  if (text === "user") return USER;
  const earlier = EARLIER_PARTS.get(text);
  if (earlier !== undefined) return earlier;
  const [, kind, name, run] = /^(agent|system)[/:]([^/]+)(?:\/(.+))?$/u.exec(text) ?? [];
  if (name === undefined) return { kind: "agent", role: text };
  return kind === "system" ? { kind: "system", part: name } : agentActor(name, run);
}

/** Who did it, as the log writes it. */
export const actorText = { read, spell } as const;
