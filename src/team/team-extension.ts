/** What a team's tasks may do beside what every task may: ask each other, answer, say what a request is. */
import type { StepExtension } from "../step/index.ts";
import { answerAction } from "./consult/answer-action.ts";
import { beforeAsking } from "./consult/before-asking.ts";
import type { ConsultParts } from "./consult/ask-role.ts";
import { createConsult } from "./consult/consult-action.ts";
import { rerouteAction } from "./consult/reroute-action.ts";
import { classifyAction } from "./guide/classify-action.ts";

export function createTeamExtension(parts: ConsultParts): StepExtension {
  return {
    name: "team",
    allows: beforeAsking((role) => parts.roleOf(role).spec),
    actions: [createConsult(parts), answerAction, rerouteAction, classifyAction],
  };
}
