/** What a language server may say, as far as it is used. It is a program of somebody else's: nothing else is believed. */
import { z } from "zod";

const position = z.object({ line: z.int().min(0), character: z.int().min(0) });
const range = z.object({ start: position, end: position });
const lenient = <T extends z.ZodType>(item: T) =>
  z.array(z.unknown()).transform((all) =>
    all.flatMap((one): z.output<T>[] => {
      const read = item.safeParse(one);
      return read.success ? [read.data] : [];
    }),
  );

const diagnosticSchema = z.object({
  range,
  severity: z.int().optional(),
  code: z.union([z.string(), z.number()]).optional().catch(undefined),
  message: z.string(),
});
export type ServerDiagnostic = z.infer<typeof diagnosticSchema>;

export const publishedSchema = z.object({ uri: z.string(), version: z.int().nullish(), diagnostics: lenient(diagnosticSchema) });
export const pulledSchema = z.object({ items: lenient(diagnosticSchema) });

export const initializedSchema = z.object({
  capabilities: z.object({
    diagnosticProvider: z.unknown().optional(),
    definitionProvider: z.unknown().optional(),
    referencesProvider: z.unknown().optional(),
    renameProvider: z.unknown().optional(),
  }),
});

const location = z.object({ uri: z.string(), range });
const link = z
  .object({ targetUri: z.string(), targetSelectionRange: range })
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
    changes: z.record(z.string(), z.array(textEdit)).optional(),
    documentChanges: z.array(z.object({ textDocument: z.object({ uri: z.string() }), edits: z.array(textEdit) })).optional(),
  })
  .nullable()
  .transform((edit) => {
    const byFile = new Map<string, ServerEdit[]>();
    for (const { textDocument, edits } of edit?.documentChanges ?? [])
      byFile.set(textDocument.uri, [...(byFile.get(textDocument.uri) ?? []), ...edits]);
    if (edit?.documentChanges === undefined) for (const [uri, edits] of Object.entries(edit?.changes ?? {})) byFile.set(uri, edits);
    return byFile;
  });
