/** What stands below the help of a sub-command: how it is typed, and the options that work everywhere. */
import type { Command } from "commander";

/** By the words of the sub-command, what follows them; without an entry it is typed as it is. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  "config get": ["log.level"],
  "config set": ["log.level debug", "llm.default_model anthropic/claude-sonnet-4-5 --project"],
  "config unset": ["log.level"],
  "session list": ["", "--limit 50 --json"],
  "session show": ["", "a1b2c3 --json"],
  "session resume": ["", "a1b2c3"],
  "session attach": ["", "a1b2c3"],
  "session logs": ["", "last -f", "a1b2c3 --json"],
  "session export": ["last -o session.json"],
  "session fork": ["last", 'a1b2c3 --request "the same, and keep the old name too"'],
  "session search": ['"parser errors"', "parser --json"],
  "session pause": ["last"],
  "session stop": ["last"],
  "session tell": ['last n2 "keep the old name too"'],
  "task start": [
    '"make the tests pass" --check "npm test"',
    '"rename the module" -w --permission-mode accept-edits',
    '"how are sessions resumed" --type discover --json',
  ],
  "task resume": ["", 'a1b2c3 --answer "use the second option"', "last --more-steps 10"],
  "task answer": ['last "use the second option"'],
  "task accept": ['last "tried it by hand"'],
  "task list": ["", "--limit 50 --json"],
  "task show": ["", "a1b2c3 --json"],
  "task watch": ["last"],
  "task diff": ["last"],
  "task undo": ["last", "last --dry-run"],
  "task merge": ["last", "last --prefer mine"],
  "task discard": ["last"],
  "task pause": ["last"],
  "task cancel": ["last"],
  "task rebuild": ["last"],
  "task context": ["last --step 4"],
  "journal tail": ["-n 20 --follow"],
  "journal show": ["17"],
  "journal accept": ['--reason "restored a backup"'],
  "journal export": ["--stream task/ --output events.jsonl"],
  "journal adopt": ["--yes"],
  "auth login": ["", "anthropic", "openai --profile work < key.txt"],
  "auth remove": ["openai"],
  "auth test": ["anthropic"],
  "agents show": ["engineer"],
  "hooks test": ["PreToolUse", "PostToolUse --tool Edit"],
  "mcp list": ["", "--check --json"],
  "mcp add": [
    "files -- npx -y @modelcontextprotocol/server-filesystem .",
    'tracker --url https://tracker.example/mcp --header "Authorization: Bearer \\${TRACKER_TOKEN}"',
  ],
  "mcp remove": ["files"],
  "mcp prompt": ["tracker triage area=parser"],
  "permissions show": ["inspector"],
  "permissions check": ['"git status && rm -rf ~"'],
  "permissions allow": ['"npm run lint"', "domain:registry.npmjs.org --user"],
  "permissions deny": ['"docker push"', "path:infra --user"],
  "permissions forget": ['"npm run lint"'],
  "secrets scan": ["$(git ls-files)"],
  "secrets view": ["config/settings.yaml"],
  "secrets redact": ["< log.txt > clean.txt"],
  "audit query": ["--since 24h --outcome denied", "--agent engineer --format csv"],
  "audit export": ["--since 7d --output audit.jsonl"],
  "models list": ["", "--all --json"],
  "models test": ["openai/gpt-5-mini"],
  "models reset": ["anthropic/claude-sonnet-4-5"],
  "memory show": ["engineer"],
  "memory load": ["architect"],
  "memory save": ['architect "Use SQLite" --body "One file, no server"'],
  "memory refresh": ["--agent all"],
  "memory hygiene": ["", "--apply 3f9c"],
  "memory log": ["engineer"],
  "memory restore": ["engineer --at 7hq3x0vz --dry-run"],
  "memory forget": ["preference:code_style.comments"],
  "memory preferences": ["code_style", "--set code_style.comments=few"],
  "memory mistakes": ['"mock the clock"', '--report "mock the clock" --error "tests hang" --fix "use a manual clock"'],
  "skill create": ['"review SQL migrations for locking problems"', '"write release notes" --target claude,agents --yes'],
  "skill update": ['notes-write "also list breaking changes"'],
  "skill extract": ["docs/release.md"],
  "skill import": ["../other/.claude/skills/notes-write"],
  "skill validate": [".claude/skills/notes-write"],
  "skill show": ["notes-write"],
  "skill remove": ["notes-write"],
  "history search": ['"why did we switch to WAL"'],
  "history show": ["commit:4f2c91ab07"],
  "history import": ["notes.jsonl"],
  "knowledge add": ["design.pdf --type paper"],
  "knowledge resolve": ['conflict:12 "the newer document holds"'],
};

const EVERYWHERE =
  "Everywhere: --json, -q, -C <dir>, --no-color, --connect <url>,\n  --permission-mode <mode>, --allow <rule>, --deny <rule>; `sylk help` says what they do";

export function belowHelp(command: Command): string {
  const parent = command.parent;
  if (parent === null) return "";
  if (parent.parent === null) return `\n${EVERYWHERE}`;
  const words = `${parent.name()} ${command.name()}`;
  const lines = (EXAMPLES[words] ?? [""]).map((rest) => `  $ sylk ${words} ${rest}`.trimEnd());
  return `\nExamples:\n${lines.join("\n")}\n\n${EVERYWHERE}`;
}
