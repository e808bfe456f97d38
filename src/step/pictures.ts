/** Pictures of a task: what they take of a step's input, and how a model is sent them. */
import type { Blobs, BlobRef } from "../journal/index.ts";
import type { ModelPicture } from "../model/index.ts";
import type { Payload } from "../protocol/events/index.ts";

type Picture = NonNullable<Payload<"task.created">["pictures"]>[number];

export const pictureTokens = (pictures: readonly Picture[] = []): number => pictures.reduce((sum, one) => sum + one.tokens, 0);

/** As a model is sent them. */
export function loadPictures(blobs: Pick<Blobs, "get">, pictures: readonly Picture[] = []): Promise<ModelPicture[]> {
  return Promise.all(pictures.map(async (one) => ({ mediaType: one.media_type, data: await blobs.get(one.content as BlobRef) })));
}
