/** Names of what a task is given that several floors speak of. */

/** Files it is about, one a line: they are in view from its first step. */
export const POINTED_AT = "files it is about";
