import { createInterface } from "node:readline";
import { z } from "zod";
import { SylkError, wording } from "../../../kernel/index.ts";
import { CHOICES } from "../../../protocol/index.ts";
import type { CliContext, CommandModule } from "../command.ts";
import { refreshIndex } from "../progress.ts";
import { queryOf } from "../query-of.ts";
import { hitRecord } from "../../hit-record.ts";
import { nothingFound, renderHit } from "../render-hits.ts";
import { countFrom1 } from "../whole-number.ts";

interface Flags {
  domain: string;
  k: string;
  path?: string;
  explain?: boolean;
  rerank?: boolean;
  batch?: boolean;
  refresh: boolean;
  wait?: boolean;
}

const DEFAULT_BATCH_K = 10;

function domainOf(text: string): (typeof CHOICES.searchDomain)[number] {
  const found = CHOICES.searchDomain.find((one) => one === text);
  if (found !== undefined) return found;
  throw new SylkError({
    code: "USAGE_BAD_OPTION",
    tier: "user_fixable",
    message: `--domain cannot be "${text}"`,
    fix: `use one of ${CHOICES.searchDomain.join(", ")}`,
  });
}

const batchLine = z.object({
  id: z.union([z.string(), z.number()]),
  text: z.string(),
  domain: z.enum(CHOICES.searchDomain).optional(),
  k: z.int().min(1).max(200).optional(),
  rerank: z.boolean().optional(),
  why: z.boolean().optional(),
});

/** A bad line is answered with an error of its own; the others go on. */
async function runBatch(flags: Flags, cli: CliContext): Promise<void> {
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    cli.signal.throwIfAborted();
    if (line.trim() === "") continue;
    let id: unknown = null;
    try {
      const raw: unknown = JSON.parse(line);
      id = (raw as { id?: unknown } | null)?.id ?? null;
      const query = batchLine.parse(raw);
      const { hits, warnings } = await cli.query({
        type: "knowledge.search",
        text: query.text,
        rerank: query.rerank ?? flags.rerank,
        once: true,
        domain: query.domain ?? domainOf(flags.domain),
        k: query.k ?? (flags.k === "" ? DEFAULT_BATCH_K : countFrom1("-k", flags.k)),
      });
      cli.out.data({
        id,
        results: hits.map((hit) => hitRecord(hit, query.why ?? flags.explain ?? false)),
        ...(warnings.length === 0 ? {} : { warnings }),
      });
    } catch (error) {
      cli.setExit(1);
      cli.out.data({ id, results: [], error: error instanceof z.ZodError ? wording.issues(error) : (error as Error).message });
    }
  }
}

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command
      .argument("[query...]", "what to look for: words, names, a path, an error message, a question")
      .option("-d, --domain <domain>", `where to look: ${CHOICES.searchDomain.join(", ")}`, "all")
      .option("-k <n>", "how many", "10")
      .option("--path <glob>", "only files whose path matches, e.g. 'src/**/*.py'; without a slash at any depth: '*.py'")
      .option("--explain", "say why each stands where it stands")
      .option("--rerank", "let the configured model put the best twenty in order")
      .option("--batch", "JSON lines in from stdin ({id, text, domain?, k?, rerank?, why?}), one answer a line out")
      .option("--no-refresh", "answer from the index as it is")
      .option("--wait", "wait until everything was read, however long it takes; a batch always does")
      .addHelpText(
        "after",
        '\nExamples:\n  $ sylk search "where are sessions resumed" --domain code -k 5\n  $ sylk search "why did we switch to WAL" --domain history\n  $ sylk search parseRequest --explain\n  $ sylk search --batch --domain code < queries.jsonl > answers.jsonl',
      )
      .action(async (words: string[], flags: Flags) => {
        const domain = domainOf(flags.domain);
        const text = flags.batch === true ? "" : queryOf(words, 'sylk search "<what to look for>"');
        const indexing = flags.refresh ? await refreshIndex(cli, { whole: flags.wait === true || flags.batch === true }) : {};
        if (flags.batch === true) {
          await runBatch(flags, cli);
          return;
        }
        const { hits, warnings } = await cli.query({
          type: "knowledge.search",
          text,
          domain,
          k: countFrom1("-k", flags.k),
          path_glob: flags.path,
          rerank: flags.rerank,
          once: true,
        });
        for (const warning of warnings) out.note(warning);
        out.result(
          {
            query: text,
            results: hits.map((hit) => hitRecord(hit, flags.explain ?? false)),
            ...(warnings.length === 0 ? {} : { warnings }),
            ...indexing,
          },
          () =>
            hits.length === 0
              ? nothingFound(text, indexing)
              : hits.map((hit, i) => renderHit(hit, i + 1, flags.explain === true, out)).join("\n"),
        );
      });
  },
};
