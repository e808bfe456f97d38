/** Numbers of pieces and assertions (`n3`, `A2`). A model begins where it likes: how many there are says nothing of which are free. */

export const numberOf = (id: string): number => Number(id.slice(1));

/** From the next one on numbers are free. */
export const lastNumber = (all: readonly { id: string }[]): number => Math.max(0, ...all.map(({ id }) => numberOf(id)));
