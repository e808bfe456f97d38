/** What a language server may say, as far as it is used. It is a program of somebody else's: nothing else is believed. */
import { z } from "zod";
import { wording } from "../../kernel/index.ts";

/** Texts are cut only after they were redacted, so much more than is shown is kept. */
const MAX_MESSAGE = 4_000;
const MAX_CODE = 200;
const MAX_ADDRESS = 4_096;
/** Problems of one file. */
const MAX_PROBLEMS = 20_000;

const position = z.object({ line: z.int().min(0), character: z.int().min(0) });
const range = z.object({ start: position, end: position });
const lenient = <T extends z.ZodType>(item: T, most = Infinity) =>
  z.array(z.unknown()).transform((all) =>
    all.slice(0, most).flatMap((one): z.output<T>[] => {
      const read = item.safeParse(one);
      return read.success ? [read.data] : [];
    }),
  );

const diagnosticSchema = z.object({
  range,
  severity: z.int().optional(),
  code: z
    .union([z.string().max(MAX_CODE), z.number()])
    .optional()
    .catch(undefined),
  message: z.string().transform((text) => wording.oneLine(text).slice(0, MAX_MESSAGE)),
});
export type ServerDiagnostic = z.infer<typeof diagnosticSchema>;

export const publishedSchema = z.object({
  uri: z.string(),
  version: z.int().nullish(),
  diagnostics: lenient(diagnosticSchema, MAX_PROBLEMS),
});
export const pulledSchema = z.object({ items: lenient(diagnosticSchema, MAX_PROBLEMS) });

export const initializedSchema = z.object({
  capabilities: z.object({
    diagnosticProvider: z.unknown().optional(),
    definitionProvider: z.unknown().optional(),
    referencesProvider: z.unknown().optional(),
    renameProvider: z.unknown().optional(),
  }),
});

const address = z.string().max(MAX_ADDRESS);
const location = z.object({ uri: address, range });
const link = z
  .object({ targetUri: address, targetSelectionRange: range })
  .transform(({ targetUri, targetSelectionRange }) => ({ uri: targetUri, range: targetSelectionRange }));
const place = z.union([location, link]);
export type ServerLocation = z.infer<typeof location>;

/** One, several or none. */
export const locationsSchema = z.union([z.null().transform((): ServerLocation[] => []), place.transform((one) => [one]), lenient(place)]);

const textEdit = z.object({ range, newText: z.string() });
export type ServerEdit = z.infer<typeof textEdit>;

/** Strict: an edit that is read in part would be half a rename. */
export const workspaceEditSchema = z
  .object({
    changes: z.record(address, z.array(textEdit)).optional(),
    documentChanges: z.array(z.object({ textDocument: z.object({ uri: address }), edits: z.array(textEdit) })).optional(),
  })
  .nullable()
  .transform((edit) => {
    const byFile = new Map<string, ServerEdit[]>();
    for (const { textDocument, edits } of edit?.documentChanges ?? [])
      byFile.set(textDocument.uri, [...(byFile.get(textDocument.uri) ?? []), ...edits]);
    if (edit?.documentChanges === undefined) for (const [uri, edits] of Object.entries(edit?.changes ?? {})) byFile.set(uri, edits);
    return byFile;
  });
