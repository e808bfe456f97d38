/** Tells a user who looks elsewhere that they are needed or that it is over: bell, title, a note of the desktop; as the settings allow. */
import type { CliContext } from "./command.ts";

export interface Signs extends Disposable {
  title(text: string): void;
  needsYou(what: string): void;
  ended(what: string): void;
}

export async function signsOf(cli: CliContext): Promise<Signs> {
  const { out } = cli;
  const isOn = async (key: string): Promise<boolean> =>
    out.interactive && (await cli.query({ type: "setting.get", key: `terminal.${key}` })).value === true;
  const [bell, titled, notify] = await Promise.all([isOn("bell"), isOn("title"), isOn("notify")]);
  const title = (text: string | undefined): void => (titled ? out.title(text) : undefined);
  const call = (text: string): void => {
    if (!notify) return;
    if (bell) out.ring();
    out.notify(text);
  };
  return {
    title: (text) => title(`sylk: ${text}`),
    needsYou(what) {
      title("sylk: needs you");
      call(`sylk needs you: ${what}`);
    },
    ended: (what) => call(`sylk: ${what}`),
    [Symbol.dispose]: () => title(undefined),
  };
}
