/** Another model for what is said next in a session; one that nobody knows is refused, with those that are near. */
import { SylkError, wording } from "../../../kernel/index.ts";
import type { CliContext } from "../command.ts";

const NEAR = 3;

/** Its full name. A tier or an alias stands for one; of a provider whose models are known, only those are. */
export async function knownModel({ query }: Pick<CliContext, "query">, name: string): Promise<string> {
  const { models, tiers } = await query({ type: "model.list", ask: true });
  const ids = models.map(({ id }) => id);
  const id = await query({ type: "model.resolve", model: name }).then(
    (found) => found.id,
    (error: unknown) => {
      if (SylkError.is(error, "MODEL_UNKNOWN")) return undefined;
      throw error;
    },
  );
  const maker = id?.slice(0, id.indexOf("/") + 1);
  if (id !== undefined && maker !== undefined && (ids.includes(id) || !ids.some((one) => one.startsWith(maker)))) return id;
  const known = [...ids, ...tiers.map((tier) => tier.name)];
  const short = (one: string): string => one.slice(one.indexOf("/") + 1);
  const nearest = wording.nearest(name, known) ?? known.find((one) => short(one) === wording.nearest(short(name), known.map(short)));
  const alike = known.filter((one) => one.includes(name) || short(one).startsWith(short(name)));
  const near = [...new Set([...(nearest === undefined ? [] : [nearest]), ...alike])].slice(0, NEAR);
  throw new SylkError({
    code: "MODEL_UNKNOWN",
    tier: "user_fixable",
    message: `there is no model ${wording.oneLine(name)}`,
    fix: near.length === 0 ? "/model lists what there is" : `did you mean ${near.join(", ")}? /model lists what there is`,
  });
}
