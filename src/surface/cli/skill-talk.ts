/** How the forge talks with the person at the terminal; nothing is asked when nobody is there. */
import type { CollisionAnswer, ForgeTalk, GateAnswer, GateView } from "../../app/index.ts";
import type { Output } from "./output.ts";
import { askChoice, askText, askYesNo } from "./prompts.ts";
import { renderGate, renderReport } from "./render-skill.ts";

/** `name`, `name-2`, `name-3` … */
const nextName = (name: string): string => {
  const match = /^(.*)-(\d+)$/.exec(name);
  return match === null ? `${name.slice(0, 61)}-2` : `${match[1]}-${Number(match[2]) + 1}`;
};

export const isPersonThere = (out: Output): boolean => process.stdin.isTTY && out.interactive && !out.json;

/** Another description after one that did not work. */
function askRetry(out: Output): NonNullable<ForgeTalk["retry"]> {
  return async (error) => {
    out.error(error);
    return (await askYesNo({ message: "Try again with another description?" })) === true ? askDescription(out)() : undefined;
  };
}

/** Whom the forge asks, when there is somebody. */
export function forgeTalk(out: Output): ForgeTalk {
  if (!isPersonThere(out)) return {};
  return { askDescription: askDescription(out), retry: askRetry(out), gate: askAtGate(out), collision: askAboutCollision };
}

function askDescription(out: Output): () => Promise<string | undefined> {
  return () => {
    out.progress("");
    return askText({
      message: "What should the skill do?",
      placeholder: "review SQL migrations for locking problems",
      validate: (value) => (value.trim() === "" ? "one sentence is enough" : undefined),
    });
  };
}

function askAtGate(out: Output): (view: GateView, signal: AbortSignal) => Promise<GateAnswer> {
  return async (view, signal) => {
    out.note(renderGate(view, out));
    for (;;) {
      const answer = await askChoice({
        message: `Install ${view.name} for ${view.targets.map(({ target }) => target).join(", ")}?`,
        options: [
          { value: "approve", label: "approve", hint: "write it to every target" },
          { value: "expand", label: "expand", hint: "show the whole checklist and every file" },
          { value: "edit", label: "edit", hint: "say what to change" },
          { value: "reject", label: "reject", hint: "write nothing" },
        ],
        signal,
      });
      if (answer === undefined || answer === "reject") return { kind: "reject" };
      if (answer === "approve") return { kind: "approve" };
      if (answer === "expand") {
        out.note(renderReport(view.report, out));
        if (view.updates) out.note(`\n${view.text}`);
        for (const [name, content] of Object.entries(view.files)) out.note(`\n${out.style("bold", name)}\n${content}`);
        continue;
      }
      const words = await askText({ message: "What should change?", signal });
      if (words !== undefined && words.trim() !== "") return { kind: "edit", instruction: { kind: "words", words } };
    }
  };
}

async function askAboutCollision(name: string, folders: string[], signal: AbortSignal): Promise<CollisionAnswer> {
  const answer = await askChoice({
    message: `${name} exists already in ${folders.length} place${folders.length === 1 ? "" : "s"}`,
    options: [
      { value: "overwrite", label: "overwrite", hint: "a backup is made first" },
      { value: "rename", label: "rename", hint: "install under another name" },
      { value: "cancel", label: "cancel" },
    ],
    signal,
  });
  if (answer === "overwrite") return { kind: "overwrite" };
  if (answer === undefined || answer === "cancel") return { kind: "cancel" };
  const renamed = await askText({ message: "New name", initialValue: nextName(name), signal });
  return renamed === undefined ? { kind: "cancel" } : { kind: "rename", name: renamed };
}
