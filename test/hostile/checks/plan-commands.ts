/** What `plan-commands.test.ts` and its long form share. */
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { runSylk } from "../../support/run-sylk.ts";
import { planOf, simplePiece, teamProject } from "../../support/team-project.ts";

interface Marked {
  sylk: (...args: string[]) => ReturnType<typeof runSylk>;
  model: string;
  ran: () => string[];
}

/** A project whose own test and one program of it leave a mark where every sandbox lets them; the plan names the program. */
export function marked(): Marked {
  const pieces = [simplePiece("loud")];
  const plan = planOf(pieces);
  const named = {
    id: "A2",
    text: "the program is content",
    from: "user" as const,
    shown_by: "command" as const,
    command: "sh program.sh",
  };
  const drafted = {
    ...plan,
    assertions: [...plan.assertions, named],
    nodes: plan.nodes.map((node) => ({ ...node, assertions: ["A1", "A2"] })),
  };
  const mark = (what: string): string => `import { writeFileSync as w } from "node:fs";\nw(process.env.MARKS + "/${what}", "");\n`;
  const project = teamProject(drafted, pieces, { "program.sh": `: > "$MARKS/program"\n`, "test/mark.test.js": mark("check") });
  const marks = path.join(project.base, "marks");
  mkdirSync(marks);
  const env = { ...project.env, MARKS: marks, SYLK_SECURITY_SANDBOX_WRITABLE: marks, SYLK_SECURITY_ENVIRONMENT: "MARKS" };
  return {
    sylk: (...args) => runSylk(project.dir, env, args, 300_000),
    model: project.rules,
    ran: () => ["check", "program"].filter((what) => existsSync(path.join(marks, what))),
  };
}
