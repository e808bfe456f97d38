/** The built-in vectoriser alone, for threads that must not load the gate. */
export { LEXICAL_DIMENSIONS, lexicalVector } from "./lexical-vectors.ts";
