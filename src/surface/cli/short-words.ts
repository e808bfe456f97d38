/** One word for what is said often; the same command, not another one. */
export const SHORT_WORDS: Readonly<Record<string, readonly string[]>> = {
  sessions: ["session", "list"],
  attach: ["session", "attach"],
  logs: ["session", "logs"],
  stop: ["session", "stop"],
  resume: ["session", "continue"],
  undo: ["task", "undo"],
  login: ["auth", "login"],
  logout: ["auth", "remove"],
};
