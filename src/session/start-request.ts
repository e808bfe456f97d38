/** How a request begins: by the user's words, screened, with the pictures they name; or from where another one began. */
import { TOLD_BEFORE, type FlowParts, type RequestState } from "../flow/index.ts";
import { newId, SylkError } from "../kernel/index.ts";
import type { Input } from "../protocol/api/index.ts";
import { EVENTS, STREAMS, USER } from "../protocol/events/index.ts";
import { commandOf } from "../team/index.ts";
import { keepPictures } from "../workspace/index.ts";

/** A command is carried out by whoever heard it; it never becomes work. */
const notARequest = (words: string, said: Exclude<ReturnType<typeof commandOf>, { kind: "none" }>): SylkError =>
  new SylkError({
    code: "USAGE_NO_COMMAND",
    tier: "user_fixable",
    message: said.kind === "wrong" ? said.message : `${words} is a command, not a request`,
    fix: said.kind === "wrong" ? said.fix : "say what you want in other words",
  });

export interface Beginning {
  open: () => Promise<FlowParts>;
  projectDir: string;
  /** Words of the user, before anything uses them. */
  screen: (text: string) => Promise<string>;
}

export async function startRequest({ open, projectDir, screen }: Beginning, options: Input<"request.start">["options"]): Promise<string> {
  if (options.words.trim() === "")
    throw new SylkError({
      code: "USAGE_EMPTY_GOAL",
      tier: "user_fixable",
      message: "a request needs words",
      fix: 'say what you want, e.g. sylk run "add a --json flag to the report command"',
    });
  const said = commandOf(options.words, []);
  if (said.kind !== "none") throw notARequest(options.words, said);
  const parts = await open();
  const id = newId("req", parts.clock.now());
  const all = (texts: readonly string[]): Promise<string[]> => Promise.all(texts.map((text) => screen(text)));
  const before = (options.before ?? []).slice(-TOLD_BEFORE);
  const { gate } = await parts.engine();
  const pictures = await keepPictures({
    blobs: parts.store.blobs,
    words: options.words,
    projectDir,
    more: options.pictures,
    model: options.model ?? "",
    // Without one for all, each role has its own; who takes no pictures is told their names.
    takes: (name) => name === "" || gate.takesPictures(name),
  });
  const created = EVENTS.request.created.create(
    {
      id,
      intent: {
        revision: 1,
        words: await screen(options.words),
        constraints: await all(options.constraints),
        criteria: (await all(options.criteria)).map((text) => ({ source: "explicit", text })),
        said: [],
      },
      approve: options.approve,
      mode: options.mode,
      ...(options.model === undefined ? {} : { model: options.model }),
      profile: options.profile,
      checks: options.checks,
      ...(options.budget_usd === undefined ? {} : { budget_usd: options.budget_usd }),
      ...(pictures.length === 0 ? {} : { pictures }),
      ...(before.length === 0 ? {} : { before }),
      ...(options.asks === undefined ? {} : { asks: options.asks }),
    },
    { actor: USER },
  );
  await parts.store.journal.append(STREAMS.request(id), 0, [created]);
  return id;
}

/** From the state of the project that the other one began from. */
export async function forkRequest({ open, screen }: Beginning, state: RequestState, words: string | undefined): Promise<string> {
  const parts = await open();
  const { created, plan, integration } = state;
  const fresh = newId("req", parts.clock.now());
  const { intent: now } = state;
  const intent = words === undefined ? now : { ...created.intent, words: await screen(words) };
  const from = { request: created.id, ...(integration === undefined ? {} : { base: integration.base }) };
  await parts.store.journal.append(STREAMS.request(fresh), 0, [
    EVENTS.request.created.create({ ...created, id: fresh, intent, from }, { actor: USER }),
    // The same words have the same plan; whether it is carried out is decided anew.
    ...(plan === undefined || words !== undefined ? [] : [EVENTS.request.planned.create({ ...plan, plan_version: 1 }, { actor: USER })]),
  ]);
  return fresh;
}
