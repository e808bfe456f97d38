/** The shell that Sylk itself starts things with: by its whole path, as a search might end at one that a project brought. */
export const OWN_SHELL = process.platform === "win32" ? "sh" : "/bin/sh";
