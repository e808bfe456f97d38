import type { CliContext } from "./command.ts";

/** Whoever starts something is told which pictures leave with it. */
export function sayPictures({ out }: CliContext, { pictures = [] }: { pictures?: string[] | undefined }): void {
  if (pictures.length > 0) out.note(`the model is shown ${pictures.join(", ")}`);
}
