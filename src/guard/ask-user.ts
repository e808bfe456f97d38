/**
 * What the guard asks the user, as durable questions: may this be done, may this account be used, what is its
 * key. An answer found again after a restart is the answer.
 */
import type { Questions } from "../journal/index.ts";
import { sha256, wording } from "../kernel/index.ts";
import { optionsOf, type Question, type QuestionAnswer } from "../protocol/index.ts";
import { agentActor } from "../protocol/events/index.ts";
import type { CredentialAsker } from "./credentials/tool-credentials.ts";
import type { Answer, PermissionOptions, PermissionQuestion } from "./permissions/open-permissions.ts";

/** More of a change is not read before a yes; the file itself has the rest. */
const MAX_DIFF_CHARS = 200_000;

type PermissionAsk = Extract<Question["ask"], { kind: "permission" }>;

interface AskingTask {
  id: string;
  session: string;
  role: string;
  /** Where the run stands: what is allowed once is allowed there. */
  point(): Promise<string>;
}

function askOf({ role, action, act, line, reason, diff, sandboxed, offers }: PermissionQuestion): PermissionAsk {
  const run = action.kind === "run" ? { cwd: action.cwd, network: [...action.network] } : { network: [] };
  return {
    kind: "permission",
    role,
    act,
    ...(line === undefined ? {} : { line }),
    ...run,
    reason,
    ...(diff === undefined ? {} : { diff: wording.shorten(diff, MAX_DIFF_CHARS) }),
    sandboxed,
    offers: offers.map((one) => [...one]),
  };
}

function answerOf(ask: PermissionAsk, answer: QuestionAnswer | undefined): Answer {
  if (answer?.kind !== "chosen") return { kind: "deny", reason: "the question was withdrawn" };
  if (answer.value === "once") return { kind: "once" };
  const kept = optionsOf(ask).find(({ value }) => value === answer.value)?.keeps;
  return kept === undefined ? { kind: "deny", reason: answer.words } : { kind: "keep", ...kept };
}

const common = ({ id, session, role }: AskingTask) => ({ asker: { kind: "task" as const, id }, session, by: agentActor(role, id) });
const never = new AbortController().signal;

function permission(questions: Questions, task: AskingTask): Required<Pick<PermissionOptions, "ask" | "answered">> {
  return {
    async ask(question, signal = never) {
      const ask = askOf(question);
      const key = `permission/${await task.point()}/${sha256(question.act)}`;
      return answerOf(ask, await questions.ask({ ...common(task), key, message: `${question.role}: ${question.reason}`, ask }, signal));
    },
    answered: async () =>
      (await questions.list(task.id)).flatMap(({ ask, answer }) =>
        ask.kind === "permission" && answer !== null ? [{ act: ask.act, answer: answerOf(ask, answer) }] : [],
      ),
  };
}

function credential(questions: Questions, task: AskingTask): CredentialAsker {
  return {
    async consent(provider, message, signal = never) {
      const options = [
        { value: "session", label: "allow in this run" },
        { value: "always", label: "always in this project" },
        { value: "deny", label: "deny" },
      ];
      const key = `credential/${task.role}:${provider}`;
      const answer = await questions.ask({ ...common(task), key, message, ask: { kind: "choice", options } }, signal);
      const value = answer?.kind === "chosen" ? answer.value : "deny";
      return value === "session" || value === "always" ? value : "deny";
    },
    async supply(provider, message, signal = never) {
      const key = `secret/${task.role}:${provider}`;
      return (await questions.ask({ ...common(task), key, message, ask: { kind: "secret", provider } }, signal))?.kind === "stored";
    },
  };
}

export function askUser(questions: Questions, task: AskingTask) {
  return { permission: permission(questions, task), credential: credential(questions, task) };
}
