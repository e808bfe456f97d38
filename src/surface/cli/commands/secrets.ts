import { text as readAll } from "node:stream/consumers";
import type { CommandModule } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { visibleLine } from "../visible-text.ts";

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command.addHelpText(
      "after",
      "\nExamples:\n  $ sylk secrets scan $(git ls-files)\n  $ sylk secrets view config/settings.yaml\n  $ cat log.txt | sylk secrets redact > clean.txt",
    );
    command
      .command("scan <files...>")
      .description("find secrets in files; exit code 1 when there is one")
      .action(async (files: string[]) => {
        let found = 0;
        for (const file of files) {
          const scan = await cli.query({ type: "secret.scan", file });
          found += scan.findings.filter((f) => f.certain).length;
          if (out.json) out.data(scan);
          else
            for (const f of scan.findings)
              out.line(`${visibleLine(file)}:${f.line}  ${f.certain ? out.style("red", f.pattern) : `${f.pattern} (perhaps)`}`);
        }
        if (found > 0) cli.setExit(EXIT.failure);
        else out.note(`no secrets in ${files.length} file${files.length === 1 ? "" : "s"}`);
      });
    command
      .command("view <file>")
      .description("a file as agents and the index see it")
      .action(async (file: string) => {
        const { text } = await cli.query({ type: "secret.view", file });
        out.result({ path: file, text }, () => text.trimEnd());
      });
    command
      .command("redact")
      .description("text from stdin with secrets replaced")
      .action(async () => {
        const result = await cli.query({ type: "secret.redact", text: await readAll(process.stdin) });
        out.result(result, () => result.text.replace(/\n$/, ""));
      });
  },
};
