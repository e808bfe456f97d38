/** From a wish to a first text: phases 1 and 2 (SKF-002, SKF-003). */
import { sha256, SylkError } from "../kernel/index.ts";
import { forgeError } from "./forge-error.ts";
import { input, keep, prepared, unsafeParts, type RunRequest, type SkillRun } from "./skill-run.ts";
import { mustBeName, readTemplate } from "./skill-writer.ts";
import { understandRequest } from "./understand-request.ts";
import { MAX_REQUEST_CHARS } from "./windows.ts";

const MAX_RETRIES = 2;

export async function understand(run: SkillRun, request: RunRequest): Promise<void> {
  const raw = request.wish ?? "";
  const description = raw.trim();
  if (description === "") throw forgeError("E-CREATE-001", "a skill needs a description");
  if (description.length > MAX_REQUEST_CHARS)
    throw forgeError("E-CREATE-007", `the description has ${description.length} characters; at most ${MAX_REQUEST_CHARS} are allowed`);
  // Before anything is kept: the journal must never hold it.
  const unsafe = unsafeParts({ ...request, wish: raw }, run.redactor);
  if (unsafe.length > 0) throw forgeError("E-CREATE-011", `the description holds what must not be shared: ${unsafe.join("; ")}`);
  readTemplate(request.template, run);
  await keep(run, 1, {
    description,
    target_cli: prepared(run.ring).targets.map(({ target }) => target),
    template_name: request.template,
    raw_input: raw,
    parsed_at: run.clock.now(),
    input_hash: sha256(raw),
    input_valid: true,
    input_errors: [],
    understanding: { ...understandRequest(description) },
    source: request.source,
  });
}

export async function generate(run: SkillRun): Promise<void> {
  const { wanted_name: wanted } = prepared(run.ring);
  const given = input(run.ring);
  let problem: string | undefined;
  for (let attempt = 0; ; attempt += 1) {
    try {
      const draft = await run.writer.write(given, wanted, problem, run.signal);
      await keep(run, 2, {
        skill_name: mustBeName(draft.name),
        skill_content: draft.text,
        skill_files: given.source?.files ?? {},
        metadata: null,
        template_used: given.template_name,
        written_by: draft.by,
        category_inferred: given.understanding.kind,
        generated_at: run.clock.now(),
        validation_passed: false,
        validation_errors: [],
        validation_timestamp: null,
        checks: [],
        corrections: problem === undefined ? [] : [`written again: ${problem}`],
      });
      return;
    } catch (error) {
      // A name that does not fit is written again from the wish (SKF-008); everything else ends the run.
      if (!SylkError.is(error, "E-CREATE-005") || attempt >= MAX_RETRIES || wanted !== null) throw error;
      await run.ring.rollbackTo(1);
      problem = error.message;
    }
  }
}
