/** The files of a project that are worth knowing: not ignored, not bulk that tools bring along. */
import { createGitReader, listProjectFiles } from "../../workspace/index.ts";
import { type Clock, SylkError } from "../../kernel/index.ts";

/** Never of interest. */
const NEVER = /(?:^|\/)(?:\.git|node_modules|__pycache__|\.sylk|\.idea|\.cache|\.venv|\.mypy_cache|\.pytest_cache|\.tox|\.gradle)(?:\/|$)/u;
/** Of interest only when the project has them under version control. */
const UNLESS_TRACKED = /(?:^|\/)(?:vendor|dist|build|out|target|coverage|\.vscode|venv|\.next|\.nuxt)\//u;

export async function listProject(root: string, clock: Clock, signal?: AbortSignal): Promise<string[]> {
  const listed = (await listProjectFiles(root, clock, signal)).filter((file) => !NEVER.test(file));
  if (!listed.some((file) => UNLESS_TRACKED.test(file))) return listed;
  const git = createGitReader(root, clock);
  const tracked = await git.run(["ls-files", "-z"], { accept: [128], signal }).catch((error: unknown) => {
    // Without git nothing is under version control.
    if (SylkError.is(error, "GIT_MISSING")) return { stdout: Buffer.alloc(0) };
    throw error;
  });
  const names = new Set(tracked.stdout.toString("utf8").split("\0"));
  return listed.filter((file) => !UNLESS_TRACKED.test(file) || names.has(file));
}
