/** Makes shell lines that try to run a forbidden program, in as many disguises as a grammar and mutations give. */

import { pick, type Random } from "./random.ts";
import { familyLine } from "./shell-families.ts";

const PAYLOADS = [
  "evil",
  "evil a b",
  "./evil",
  "../bin/evil",
  "rm -rf ~/precious",
  "rm ../outside/canary",
  "echo x > ~/precious",
  "echo x >> ../outside/canary",
  "cp src/a.ts ../outside/canary",
  "mv src/a.ts ~/precious",
  "tee ../outside/canary",
];
const SAFE = [
  "ls",
  "git status",
  "echo hi",
  "true",
  "pwd",
  "cat src/a.ts",
  "wc -l src/a.ts",
  "find src -name a.ts",
  "test -f src/a.ts",
  "mkdir -p build",
  "echo x > out.txt",
  "cd src",
  "seq 2",
  "printf %s x",
  "[ -d src ]",
  "touch build.txt",
];
const SEPARATORS = [";", "&&", "||", "|", "&", "\n", " ; ", "\n\n", ";\n", "|&", " & ", "\t;\t", "\\\n;"];
const WRAPPERS = [
  "bash -c 'X'",
  "sh -c 'X'",
  'bash -c "X"',
  "sh -ec 'X'",
  "env X",
  "env -i X",
  "env A=1 X",
  "env -S 'X'",
  "timeout 2 X",
  "timeout -k 1 2 X",
  "nohup X",
  "nice -n 1 X",
  "time X",
  "command X",
  "exec X",
  "builtin X",
  "eval X",
  "eval 'X'",
  'eval "X"',
  "xargs X",
  "echo a | xargs X",
  "echo a | xargs -I{} X",
  "echo 'X' | sh",
  "echo 'X' | bash",
  "find src -exec X \\;",
  "find src -name a.ts -exec X {} +",
  "find . -execdir X ';'",
  "$(X)",
  "`X`",
  "echo $(X)",
  'echo "$(X)"',
  "echo `X`",
  'echo "`X`"',
  "cat <(X)",
  "echo a > >(X)",
  "cat <<EOF\n$(X)\nEOF",
  "cat <<'EOF'\n$(X)\nEOF",
  "cat <<EOF\n`X`\nEOF\n",
  "sh <<EOF\nX\nEOF",
  "cat <<-EOF\n\t$(X)\n\tEOF\n",
  'cat <<"E F"\nX\nE F\n',
  "( X )",
  "{ X; }",
  "! X",
  "if X; then true; fi",
  "if true; then X; fi",
  "while X; do break; done",
  "for x in 1; do X; done",
  "for x in $(X); do true; done",
  "until X; do break; done",
  "case a in a) X;; esac",
  "f() { X; }; f",
  "function f { X; }; f",
  "trap 'X' EXIT",
  "x='X'; $x",
  "x=evil; $x",
  'x=evil; "$x"',
  "alias ls='X'\nls",
  "PATH=../bin:$PATH ls",
  "LS=1 X",
  "A=1 B=2 X",
  "ls ${x:-$(X)}",
  "ls ${x:=`X`}",
  "echo $((`X`))",
  "echo $(( $(X) ))",
  "[[ -n $(X) ]]",
  "(( $(X) ))",
  "test -v 'a[$(X)]'",
  "printf -v 'a[$(X)]' x",
  "echo 'X'",
  'echo "X"',
  "echo X",
  "# X",
  "ls # X",
  "echo a#X",
  "ls '\n' X",
  "ls \\\nX",
  "ls \\; X",
  "ls '; X'",
  'ls "; X"',
  "ls \\& X",
  "ls \\| X",
  "echo \\$(X)",
  "echo '$(X)'",
  "echo \\`X\\`",
  'echo "\\$(X)"',
  'echo "\\`X\\`"',
  "busybox X",
  "stdbuf -o0 X",
  "setsid X",
  "source /dev/stdin <<< 'X'",
  ". ./evil",
  "coproc X",
  "ls >&2 X",
  "2>&1 X",
  ">out.txt X",
  "<src/a.ts X",
  "{fd}>out.txt X",
  "a[$(X)]=1",
  "declare -x a=$(X)",
  "export a=$(X)",
  "echo {X,}",
  "ls; } X",
  "if true; then ls; fi; X",
  "true && { ls; X; }",
  "cd .. && X",
  "cd src; X",
  "seq 1 | while read l; do X; done",
  "echo a | tee >(X)",
  "$'\\x65vil'",
  'e"vi"l',
  "ev''il",
  "\\evil",
  "ev\\\nil",
  "e?il",
  "ev[i]l",
  "../b*/evil",
  "{evil,a}",
  "${0+evil}",
  "$(echo evil)",
  "`echo evil`",
  "$(printf evil) a",
  "ev$()il",
  "ev${y}il",
  '"$(echo evil)"',
  "EVIL",
  "~/../bin/evil",
];
const NOISE = [
  " ",
  "\t",
  "\n",
  ";",
  "&",
  "|",
  "'",
  '"',
  "\\",
  "$",
  "(",
  ")",
  "`",
  "{",
  "}",
  "<",
  ">",
  "#",
  "!",
  "*",
  "?",
  "~",
  "=",
  "\\\n",
  "$(",
  "$((",
  "))",
  "&&",
  "||",
  "<<E\n",
  "\nE\n",
  "E",
  "${",
  "''",
  '""',
  "-",
  "x",
  "1",
  ",",
  ":",
  "\r",
  "é",
  "in",
  "do",
  "done",
  "fi",
  "then",
];

/** Splits the word by quotes and escapes that leave its meaning unchanged, most of the time. */
function disguise(random: Random, text: string): string {
  if (random() < 0.6) return text;
  const at = Math.floor(random() * text.length);
  const form = pick(random, ["\\", "''", '""', "\\\n", "$()", "${y}", "'", '"', "$''", "``"]);
  return text.slice(0, at) + form + text.slice(at);
}

function statement(random: Random, depth: number): string {
  if (depth > 2 || random() < 0.35) return random() < 0.5 ? pick(random, SAFE) : disguise(random, pick(random, PAYLOADS));
  if (random() < 0.4) return familyLine(random, () => statement(random, depth + 1));
  return pick(random, WRAPPERS).replaceAll("X", () => statement(random, depth + 1));
}

function mutate(random: Random, line: string): string {
  let out = line;
  for (let n = random() < 0.5 ? 0 : Math.ceil(random() * 3); n > 0; n -= 1) {
    const at = Math.floor(random() * (out.length + 1));
    const how = random();
    if (how < 0.5) out = out.slice(0, at) + pick(random, NOISE) + out.slice(at);
    else if (how < 0.8) out = out.slice(0, at) + out.slice(at + 1);
    else {
      const from = Math.floor(random() * out.length);
      out = out.slice(0, at) + out.slice(from, from + Math.ceil(random() * 6)) + out.slice(at);
    }
  }
  return out;
}

export function shellLine(random: Random): string {
  let line = random() < 0.7 ? pick(random, SAFE) : "";
  for (let n = Math.ceil(random() * 2); n > 0; n -= 1) line += (line === "" ? "" : pick(random, SEPARATORS)) + statement(random, 0);
  if (random() < 0.3) line += pick(random, SEPARATORS) + pick(random, SAFE);
  return mutate(random, line);
}
