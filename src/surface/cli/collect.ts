/** For an option that may be repeated. */
export const collect = (value: string, all: string[]): string[] => [...all, value];
