/** The answers each kind of question takes. */
import type { Question } from "./question.ts";

const PLACES = { session: "allow in this run", project: "always in this project", user: "always, everywhere" } as const;
type KeptWhere = keyof typeof PLACES;
type Ask = Question["ask"];
type PermissionAsk = Extract<Ask, { kind: "permission" }>;

type Option = Extract<Ask, { kind: "choice" }>["options"][number] & {
  /** What a lasting yes keeps, and where. */
  keeps?: { where: KeptWhere; offer: PermissionAsk["offers"][number] };
};

function describeOffer(offer: PermissionAsk["offers"][number]): string {
  return offer
    .map((rule) => {
      switch (rule.kind) {
        case "line":
          return "this exact line";
        case "command":
          return `every ${rule.value} …`;
        case "domain":
          return `fetching from ${rule.value}`;
        case "tool":
          return rule.value.endsWith("/*") ? `every tool of ${rule.value.slice(0, -2)}` : rule.value;
        case "credential":
          return rule.value;
        case "path":
          return `${rule.access} ${rule.value}`;
      }
    })
    .join(", ");
}

/** The exact line everywhere first; what is wider, in this project at most. */
function keepOptions({ offers }: PermissionAsk): Option[] {
  return offers.flatMap((offer, index) =>
    (["session", "project", "user"] as const)
      .filter((where) => index === 0 || where !== "user")
      .map((where) => ({
        value: index === 0 ? where : `${where}-${index + 1}`,
        label: `${PLACES[where]}: ${describeOffer(offer)}`,
        keeps: { where, offer },
      })),
  );
}

/** One word takes out what nobody asked for. */
const removals = (ask: Extract<Ask, { kind: "plan" | "diff" }>): Option[] =>
  (ask.kind === "plan" ? (ask.removable ?? []) : []).map(({ id, text }) => ({
    value: `remove-${id}`,
    label: `remove ${id}`,
    hint: text,
  }));

/** What may be chosen; empty when the answer is words. */
export function optionsOf(ask: Ask): readonly Option[] {
  switch (ask.kind) {
    case "permission":
      return [
        { value: "once", label: "allow once" },
        ...keepOptions(ask),
        { value: "deny", label: "deny", hint: "with words: the agent is told why", words: "possible" },
      ];
    case "choice":
      return ask.options;
    case "plan":
    case "diff":
      return [
        { value: "approve", label: "approve" },
        ...removals(ask),
        { value: "edit", label: "edit", hint: "say what to change", words: "needed" },
        { value: "replace", label: "replace", hint: "give the whole text anew", words: "needed" },
        { value: "reject", label: "reject" },
      ];
    case "secret":
      return [{ value: "deny", label: "deny", hint: "it goes on without" }];
    case "text":
      return [];
  }
}
