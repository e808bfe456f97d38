/** Modules that an option loads before anything else: files of the project are taken in, installed packages are not. */
import path from "node:path";
import { projectFile } from "../../kernel/index.ts";
import { places, realPath, type Behind, type Stand, type Word } from "./behind.ts";

const ENDINGS = ["", ".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".json", ".node"];
const PACKAGE = /^(?:@[\w.-]+\/)?[\w.-]+(?=\/|$)/u;

export function isOwnPackage(behind: Behind, text: string, stand: Stand): boolean {
  const name = PACKAGE.exec(text)?.[0];
  return name !== undefined && !/^\.{1,2}$/u.test(name) && isOwn(behind, name, stand);
}

/** A package that is really a folder of the project, by a link or by the project's own name. */
function isOwn(behind: Behind, name: string, stand: Stand): boolean {
  for (const from of new Set([stand.home, ...stand.at]))
    for (let dir = from; behind.isInside(dir); dir = path.dirname(dir)) {
      const manifest = projectFile.text(behind.root, path.join(dir, "package.json"));
      if (manifest !== undefined && new RegExp(`"name"\\s*:\\s*"${RegExp.escape(name)}"`, "u").test(manifest)) return true;
      const at = realPath(path.join(dir, "node_modules", name));
      const top = realPath(behind.root) ?? behind.root;
      if (at !== undefined && at.startsWith(`${top}${path.sep}`) && !at.slice(top.length).includes("/node_modules/")) return true;
    }
  return false;
}

export function takeModule(behind: Behind, word: Word | undefined, stand: Stand): void {
  const name = word?.value;
  if (word === undefined || name === undefined || word.tilde || /[\s*?[\]{}:#!]/u.test(name) || name === "") {
    behind.cannot(`${word?.source ?? "a module"} is loaded, and cannot be followed`);
    return;
  }
  let found = false;
  // Tools differ in which ending they try first; all that are there count.
  for (const file of places(name, stand)) {
    const looked = ENDINGS.map((ending) => behind.take(file + ending));
    if (looked.includes("taken")) found = true;
    else if (looked.includes("folder")) behind.cannot(`the folder ${name} is loaded, and cannot be followed`);
  }
  if (found) return;
  const installed = PACKAGE.exec(name)?.[0];
  if (installed === undefined || /^\.{1,2}$/u.test(installed)) behind.cannot(`${name} is loaded, and is not there`);
  else if (isOwn(behind, installed, stand)) behind.cannot(`${name} is loaded, and is a package of the project`);
}
