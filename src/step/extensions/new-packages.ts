/**
 * Before a package is added, by a change of a manifest or by a command: one that its registry does not know is
 * refused, and where the project has something for the same purpose, or the name is easily mistaken, that is said once.
 */
import type { PackageDesk, PackageFinding, PackageName } from "../../tooling/index.ts";
import type { StepExtension, Vetted } from "../extension.ts";

/** Looked up for one change; whoever adds more knows what a list is. */
const MAX_LOOKED_UP = 8;

type Doubt = Extract<PackageFinding, { kind: "doubtful" }>;

function absence(name: string, { registry, near }: Extract<PackageFinding, { kind: "absent" }>): string {
  const meant = near.length === 0 ? "look up its right name, or do without" : `near names: ${near.join(", ")}`;
  return `${registry} knows no package ${name}; ${meant}`;
}

function doubt(name: string, { near, instead }: Doubt): string {
  const reasons = [
    ...(instead === undefined ? [] : [`the project already has ${instead.name} (${instead.why})`]),
    ...(near.length === 0 ? [] : [`${name} is easily mistaken for ${near.join(", ")}`]),
  ];
  return reasons.join("; ");
}

export function createNewPackages(desk: PackageDesk): StepExtension {
  const told = new Set<string>();
  return {
    name: "new packages",
    async vets(act, task, workspace, signal): Promise<Vetted | undefined> {
      const added: PackageName[] =
        act.action.effect === "process"
          ? desk.addedBy(act.action.target(act.args))
          : (await act.files()).flatMap(({ path, before, after }) => desk.addedTo(path, before, after));
      if (added.length === 0) return undefined;
      const notes: string[] = [];
      const doubts: string[] = [];
      const findings = await Promise.all(
        added.slice(0, MAX_LOOKED_UP).map(async (one) => ({ one, found: await desk.look(one, workspace, signal) })),
      );
      for (const { one, found } of findings) {
        const key = `${task.created.id} ${one.ecosystem} ${one.name}`;
        if (found.kind === "absent") return { kind: "refused", reason: absence(one.name, found) };
        if (found.kind === "unknown") notes.push(`${one.name} could not be checked: ${found.why}`);
        if (found.kind !== "doubtful" || told.has(key)) continue;
        told.add(key);
        doubts.push(doubt(one.name, found));
      }
      if (doubts.length > 0)
        return { kind: "refused", reason: `${doubts.join("; ")}. Use that, or send this again when ${names(added)} is meant` };
      const rest = added.length - MAX_LOOKED_UP;
      if (rest > 0) notes.push(`${rest} more packages were not checked`);
      return notes.length === 0 ? undefined : { kind: "noted", note: notes.join("; ") };
    },
  };
}

const names = (added: readonly PackageName[]): string =>
  added
    .slice(0, 3)
    .map(({ name }) => name)
    .join(", ");
