/** Files of the project that a word of a tool may name, in whichever way tools write lists, settings and modules. */
import path from "node:path";
import { existsSync } from "node:fs";
import { places, type Behind, type Run } from "./behind.ts";
import { isOwnPackage } from "./modules.ts";

const ENDINGS = ["", ".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".json", ".node", ".py", ".rb", ".php", ".sh"];

/** `a,b`, `a=b`, `a:b` and `a b` name `a` and `b`; `a.b.C` may name a module `a` or `a/b`. */
function partsOf(text: string): string[] {
  const parts = text.split(/[^\w./@~-]+/u).flatMap((part) => {
    const bare = part.replace(/^[@-]+/u, "");
    const dotted = /^[A-Za-z_]\w*(?:\.\w+)+$/u.test(bare) ? bare.split(".").map((_, at, all) => all.slice(0, at + 1).join("/")) : [];
    // `-qpx`: the value of a short option may begin at any letter.
    return [part, bare, bare.slice(1), bare.slice(2), ...dotted];
  });
  return [...new Set([text, ...parts])].filter((part) => /[^./]/u.test(part) || part === text);
}

/** What a word names is taken in; a folder, where it may be loaded, cannot be followed. */
export function takeAnyNamed(behind: Behind, run: Run, text: string, folders: "may be loaded" | "are looked at"): void {
  for (const part of partsOf(text)) {
    for (const place of places(part, run.stand))
      for (const ending of ENDINGS) {
        const file = place + ending;
        if (!existsSync(file) || !behind.isInside(file)) continue;
        const taken = behind.take(file);
        if (taken === "folder" && ending === "" && folders === "may be loaded")
          behind.cannot(`what ${run.name} loads from the folder ${path.basename(file)} cannot be said`);
      }
    if (folders === "may be loaded" && isOwnPackage(behind, part, run.stand)) behind.cannot(`${part} is a package of the project`);
  }
}
