/** What `pictures.test.ts` and its long form share. */

/** Two by one dots. */
export const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAYAAAD0In+KAAAAEUlEQVR4nGP8z8Dwn4GBgQEADQ4CARcVkHcAAAAASUVORK5CYII=",
  "base64",
);
