/** The same command line, with another project and another home behind it; nobody is asked anything. */
import type { Api } from "../../protocol/api/index.ts";
import type { CliContext } from "./command.ts";

export function inCopy(cli: CliContext, api: Api): CliContext {
  return {
    ...cli,
    attended: false,
    // A copy is gone with whoever made it.
    runs: () => ({ [Symbol.dispose]: () => undefined }),
    api: () => Promise.resolve(api),
    send: (command) => api.send(command, cli.signal),
    query: (query) => api.query(query, cli.signal),
  };
}
