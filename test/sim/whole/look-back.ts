/** What the files say at the end, held against what the journal says was done. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { doneMark, filesIn, markOf, type SimProject } from "./sim-project.ts";
import { real } from "./system-fate.ts";
import type { Diary } from "./task-lives.ts";
import type { SeenTask, TaskWitness } from "./task-witness.ts";

type Files = ReadonlyMap<string, string>;

const timesIn = (files: Files, mark: string, only?: string): number =>
  [...files].reduce((sum, [name, text]) => sum + (only === undefined || only === name ? text.split(mark).length - 1 : 0), 0);

interface Expected {
  what: string;
  mark: string;
  file: string;
  isDone: boolean;
  /** It may have happened, and nobody claims that it did. */
  isOpen: boolean;
}

/** What each deed leaves behind, file by file. */
function expectedOf(task: SeenTask): Expected[] {
  const { index, plan, deeds } = task;
  return deeds.flatMap(({ state }, at): Expected[] => {
    const deed = plan.deeds[at] ?? "insert";
    const mark = at === plan.deeds.length ? doneMark(index) : markOf(index, at);
    const base = { what: `${deed} ${at} of task ${index}`, mark, isDone: state === "done", isOpen: state === "cut_off" };
    const files = {
      insert: [`t${index}a.txt`],
      pair: [`t${index}a.txt`, `t${index}b.txt`],
      shared: ["shared.txt"],
      write: [`t${index}new${at}.txt`],
      run: [`t${index}log.txt`],
      move: [],
      delete: [],
      note: [],
    }[deed];
    return files.map((file) => ({ ...base, file }));
  });
}

function movedOf(task: SeenTask, files: Files): { what: string; isDone: boolean; isThere: boolean }[] {
  const { index, plan, deeds } = task;
  return plan.deeds.flatMap((deed, at) => {
    const isDone = deeds[at]?.state === "done";
    if (deed === "move") {
      const whole = { what: `move of task ${index}`, isDone, isThere: files.has(`t${index}moved${at}.txt`) };
      return [whole, { ...whole, isThere: !files.has(`t${index}move.txt`) }];
    }
    return deed === "delete" ? [{ what: `delete of task ${index}`, isDone, isThere: !files.has(`t${index}gone.txt`) }] : [];
  });
}

function lookAt(
  witness: TaskWitness,
  task: SeenTask,
  files: Files,
  { isBack, kept }: { isBack: boolean; kept: ReadonlySet<string> },
): void {
  // What was under way when it was cancelled may have happened or not.
  const isCut = task.status === "cancelled" || task.intended !== undefined;
  for (const { what, mark, file, isDone, isOpen } of expectedOf(task)) {
    const times = timesIn(files, mark, file);
    if (times > 1 || timesIn(files, mark) > (what.startsWith("pair") ? 2 : 1))
      witness.breaks("no effect twice", `${what}: ${times} times in ${file}`);
    if (kept.has(file)) continue;
    const isWanted = isDone && !isBack;
    if (isWanted && times === 0) witness.breaks("no effect lost", `${what} is not in ${file}`);
    // What a command did is taken back too, as far as it is known.
    if (!isWanted && times > 0 && !isOpen && !isCut && file !== `t${task.index}log.txt`)
      witness.breaks("what was not done is not there", `${what} is in ${file}`);
  }
  for (const { what, isDone, isThere } of movedOf(task, files))
    if (isThere !== (isDone && !isBack) && !isCut) witness.breaks(isDone ? "no effect lost" : "what was not done is not there", what);
}

/** Nothing of a task is in the project before its merge, or after it was taken back. */
export function nothingMerged(witness: TaskWitness, task: SeenTask, project: SimProject): void {
  const files = filesIn(project.dir);
  for (const { what, mark, file } of expectedOf(task))
    if (timesIn(files, mark, file) > 0) witness.breaks("never half merged", `${what} is in ${file}`);
  for (const { what, isThere } of movedOf(task, files)) if (isThere) witness.breaks("never half merged", what);
}

function leftovers(dir: string): string[] {
  if (!real.existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, encoding: "utf8" }).filter((name) => name.includes(".tmp_") && !/^\.(?:git|sylk)/u.test(name));
}

export function lookBack(witness: TaskWitness, project: SimProject, diary: Diary): void {
  const here = filesIn(project.dir);
  for (const task of witness.tasks.values()) {
    const inTree = task.plan.tree;
    if (!inTree) lookAt(witness, task, here, { isBack: task.undone, kept: new Set() });
    else if (task.merged === "merged") lookAt(witness, task, here, { isBack: false, kept: diary.kept });
    else nothingMerged(witness, task, project);
    if (inTree && real.existsSync(task.root)) lookAt(witness, task, filesIn(task.root), { isBack: false, kept: new Set() });
    for (const file of inTree ? leftovers(task.root) : []) witness.breaks("nothing is left over", file);
  }
  for (const file of leftovers(project.dir)) witness.breaks("nothing is left over", file);
  const log = path.join(project.dir, ".sylk/memory/architect/decision-log.md");
  const text = real.existsSync(log) ? real.readFileSync(log, "utf8") : "";
  for (const entry of diary.tried) {
    const times = text.split(`] ${entry}\n`).length - 1;
    if (times > 1) witness.breaks("no effect twice", `${entry} is in the memory ${times} times`);
    if (times === 0 && diary.saved.has(entry)) witness.breaks("no effect lost", `${entry} is not in the memory`);
  }
}
