/**
 * Ways in which a merge was once called clean and was wrong. `merged: undefined`: only a person may
 * decide. The first part of a name is the family.
 */
import type { MergeScenario } from "../merge-scenarios.ts";

type Sides = readonly [file: string, base: string, ours: string, theirs: string, merged?: string];

const family = (name: string, ...cases: Sides[]): MergeScenario[] =>
  cases.map(([file, base, ours, theirs, merged], i) => ({ name: `${name} (${i + 1})`, file, base, ours, theirs, merged }));

const go = (...specs: string[]): string => `package p\n\n${specs.join("\n")}\n`;

const deletedWithAttribute = family(
  "a: one deletes what the other put an attribute on",
  ["a.rs", "fn a() {}\nfn b() {}\n", "fn b() {}\n", "#[no_mangle]\nfn a() {}\nfn b() {}\n"],
  ["b.rs", "fn a() {}\n\nfn b() {}\n", "fn b() {}\n", "#[inline]\n#[no_mangle]\nfn a() {}\n\nfn b() {}\n"],
  ["c.rs", "struct S;\nfn b() {}\n", "fn b() {}\n", "#[derive(Debug)]\nstruct S;\nfn b() {}\n"],
  ["d.py", "def a():\n    pass\n\n\ndef b():\n    pass\n", "def b():\n    pass\n", "@cache\ndef a():\n    pass\n\n\ndef b():\n    pass\n"],
  ["e.ts", "class A {\n  m() {}\n  n() {}\n}\n", "class A {\n  n() {}\n}\n", "class A {\n  @bound\n  m() {}\n  n() {}\n}\n"],
  [
    "F.java",
    "class F {\n  void a() {}\n  void b() {}\n}\n",
    "class F {\n  void b() {}\n}\n",
    "class F {\n  @Override\n  void a() {}\n  void b() {}\n}\n",
  ],
);

const deletedWithComment = family(
  "b: one deletes what the other wrote a note on",
  ["a.ts", "const a = 1;\nconst b = 2;\n", "const b = 2;\n", "// needed by prod\nconst a = 1;\nconst b = 2;\n"],
  ["b.ts", "const b = 2;\nfunction a() {}\n", "const b = 2;\n", "const b = 2;\nfunction a() {} // needed by prod\n"],
  ["c.py", "C1 = 1\nC3 = 3\nC4 = 4\n", "C1 = 1\nC4 = 4\n", "C1 = 1\nC3 = 3  # note\nC4 = 4\n"],
  ["d.py", "def a():\n    pass\n\n\nb = 1\n", "b = 1\n", "# needed\ndef a():\n    pass\n\n\nb = 1\n"],
  ["e.go", go("func A() {}", "", "func B() {}"), go("func B() {}"), go("// A is used by cgo.", "func A() {}", "", "func B() {}")],
  [
    "f.go",
    go("type S struct {", "\tA int", "\tB int", "}"),
    go("type S struct {", "\tB int", "}"),
    go("type S struct {", "\tA int // wire", "\tB int", "}"),
  ],
  ["g.rs", "fn a() {}\nfn b() {}\n", "fn b() {}\n", "/// needed\nfn a() {}\nfn b() {}\n"],
  ["h.jsonc", '{\n  "a": 1,\n  "b": 2\n}\n', '{\n  "b": 2\n}\n', '{\n  // needed\n  "a": 1,\n  "b": 2\n}\n'],
  ["i.jsonc", '{\n  "a": 1,\n  "b": 2\n}\n', '{\n  "b": 2\n}\n', '{\n  "a": 1, // needed\n  "b": 2\n}\n'],
  ["j.yaml", "a: 1\nb: 2\n", "b: 2\n", "a: 1 # needed\nb: 2\n"],
  ["k.yaml", "a: 1\nb: 2\n", "b: 2\n", "# needed\na: 1\nb: 2\n"],
  ["L.java", "class L {\n  int a;\n  int b;\n}\n", "class L {\n  int b;\n}\n", "class L {\n  /** needed */\n  int a;\n  int b;\n}\n"],
  ["m.toml", "a = 1\nb = 2\n", "b = 2\n", "# needed\na = 1\nb = 2\n"],
);

const sameNameOtherString = family(
  "c: one name added twice, the strings differ in spaces",
  ["a.ts", "const z = 0;\n", 'const z = 0;\nconst s = "a b";\n', 'const z = 0;\nconst s = "a  b";\n'],
  ["b.ts", "const z = 0;\n", "const z = 0;\nconst s = `a\n b`;\n", "const z = 0;\nconst s = `a\n  b`;\n"],
  ["c.ts", "class A {\n  z = 0;\n}\n", 'class A {\n  z = 0;\n  s = "a b";\n}\n', 'class A {\n  z = 0;\n  s = "a  b";\n}\n'],
  ["d.json", '{\n  "z": 0\n}\n', '{\n  "z": 0,\n  "s": "a b"\n}\n', '{\n  "z": 0,\n  "s": "a  b"\n}\n'],
  ["e.py", "z = 0\n", 'z = 0\ns = "a b"\n', 'z = 0\ns = "a  b"\n'],
  ["f.go", go("var z = 0"), go("var z = 0", 'var s = "a b"'), go("var z = 0", 'var s = "a  b"')],
  ["g.rs", "const Z: u8 = 0;\n", 'const Z: u8 = 0;\nconst S: &str = "a b";\n', 'const Z: u8 = 0;\nconst S: &str = "a  b";\n'],
  ["H.java", "class H {\n  int z;\n}\n", 'class H {\n  int z;\n  String s = "a b";\n}\n', 'class H {\n  int z;\n  String s = "a  b";\n}\n'],
  ["i.yaml", "z: 0\n", 'z: 0\ns: "a b"\n', 'z: 0\ns: "a  b"\n'],
);

const otherIndentation = family(
  "d: one definition added twice, indented differently",
  [
    "a.py",
    "z = 0\n",
    "z = 0\n\n\ndef f(xs):\n    for i in xs:\n        a(i)\n        b(i)\n",
    "z = 0\n\n\ndef f(xs):\n    for i in xs:\n        a(i)\n    b(i)\n",
  ],
  [
    "b.py",
    "class A:\n    z = 0\n",
    "class A:\n    z = 0\n\n    def f(self):\n        if self.z:\n            a()\n            return 1\n",
    "class A:\n    z = 0\n\n    def f(self):\n        if self.z:\n            a()\n        return 1\n",
  ],
);

const names = family(
  "e: one name bound twice",
  ["a.ts", 'import { a } from "./m.ts";\n', 'import { a, b as z } from "./m.ts";\n', 'import { a, c as z } from "./m.ts";\n'],
  ["b.ts", "const a = 1;\n", "const a = 1;\nconst f = () => 1;\n", "const a = 1;\nfunction f() {\n  return 2;\n}\n"],
  [
    "c.ts",
    'import a from "./a.ts";\n',
    'import a from "./a.ts";\nimport x from "./x.ts";\n',
    'import a from "./a.ts";\nimport { x } from "./x.ts";\n',
  ],
  ["d.ts", 'import { a } from "./a.ts";\n', 'import { a, T } from "./a.ts";\n', 'import { a, type T } from "./a.ts";\n'],
  ["e.ts", "const a = 1;\n", "const a = 1;\nclass K {}\n", "const a = 1;\nconst K = 2;\n"],
  [
    "f.ts",
    'import { a } from "./a.ts";\n\nrun();\n',
    'import { a, f } from "./a.ts";\n\nrun();\n',
    'import { a } from "./a.ts";\n\nrun();\n\nfunction f() {}\n',
  ],
  ["g.py", "import os\n\nx = 1\n", "import os\nimport f\n\nx = 1\n", "import os\n\nx = 1\n\n\ndef f():\n    pass\n"],
  ["h.py", "from m import a\n", "from m import a, b as z\n", "from m import a, c as z\n"],
  ["i.go", go("var a = 1"), go("var a = 1", "", "func f() {}"), go("var a = 1", "", "type f int")],
  ["j.rs", "use a::b;\n", "use a::b;\nuse c::z;\n", "use a::b;\nuse d::z;\n"],
  ["k.rs", "const A: u8 = 1;\n", "const A: u8 = 1;\nstatic F: u8 = 1;\n", "const A: u8 = 1;\nconst F: u8 = 2;\n"],
  ["L.java", "import a.B;\n\nclass L {}\n", "import a.B;\nimport c.Z;\n\nclass L {}\n", "import a.B;\nimport d.Z;\n\nclass L {}\n"],
  ["m.ts", "interface A {\n  a: 1;\n}\n", "interface A {\n  a: 1;\n  f(): void;\n}\n", "interface A {\n  a: 1;\n  f: number;\n}\n"],
  [
    "n.go",
    'package p\n\nimport (\n\t"fmt"\n)\n',
    'package p\n\nimport (\n\t"fmt"\n\t"math/rand"\n)\n',
    'package p\n\nimport (\n\t"crypto/rand"\n\t"fmt"\n)\n',
  ],
);

const orderedLists = family(
  "f: two additions to an ordered list",
  ["a.json", '{\n  "cmd": ["npm", "run"]\n}\n', '{\n  "cmd": ["npm", "run", "build"]\n}\n', '{\n  "cmd": ["npm", "run", "test"]\n}\n'],
  ["b.ts", 'run(["log", "x"]);\n', 'run(["log", "-n", "x"]);\n', 'run(["log", "5", "x"]);\n'],
  ["c.ts", "app.use([cors, body]);\n", "app.use([cors, auth, body]);\n", "app.use([cors, limit, body]);\n"],
  ["d.py", 'MIDDLEWARE = [\n    "a",\n]\n', 'MIDDLEWARE = [\n    "a",\n    "b",\n]\n', 'MIDDLEWARE = [\n    "a",\n    "c",\n]\n'],
  ["e.go", go("var p = P{1, 2}"), go("var p = P{1, 2, 3}"), go("var p = P{1, 2, 4}")],
  ["f.rs", "const A: &[u8] = &[1, 2];\n", "const A: &[u8] = &[1, 2, 3];\n", "const A: &[u8] = &[1, 2, 4];\n"],
  ["G.java", "class G {\n  int[] a = {1, 2};\n}\n", "class G {\n  int[] a = {1, 2, 3};\n}\n", "class G {\n  int[] a = {1, 2, 4};\n}\n"],
  ["h.ts", "f(1, 2);\n", "f(1, 2, 3);\n", "f(1, 2, 4);\n"],
  ["i.py", "f(1, 2)\n", "f(1, 2, 3)\n", "f(1, 2, 4)\n"],
  ["j.yaml", "cmd:\n  - npm\n  - run\n", "cmd:\n  - npm\n  - run\n  - build\n", "cmd:\n  - npm\n  - run\n  - test\n"],
  ["k.toml", 'cmd = [\n  "npm",\n]\n', 'cmd = [\n  "npm",\n  "build",\n]\n', 'cmd = [\n  "npm",\n  "test",\n]\n'],
  ["l.ts", "const a = [\n  one,\n];\n", "const a = [\n  one,\n  two,\n];\n", "const a = [\n  one,\n  three,\n];\n"],
  ["m.py", "t = (1, 2)\n", "t = (1, 2, 3)\n", "t = (1, 2, 4)\n"],
  ["n.md", "1. one\n2. two\n", "1. one\n2. two\n3. ours\n", "1. one\n2. two\n3. theirs\n"],
);

const reorderedAndDeleted = family(
  "g: one reorders what the other deletes from",
  ["a.json", '["a", "b", "c"]\n', '["b", "a", "c"]\n', '["a", "c"]\n'],
  ["b.ts", "const l = [a, b, c];\n", "const l = [b, a, c];\n", "const l = [a, c];\n"],
  ["c.py", "l = [a, b, c]\n", "l = [b, a, c]\n", "l = [b, c]\n"],
  ["d.go", go("var l = []int{a, b, c}"), go("var l = []int{b, a, c}"), go("var l = []int{a, c}")],
  ["e.rs", "const L: [u8; 3] = [A, B, C];\n", "const L: [u8; 3] = [C, A, B];\n", "const L: [u8; 3] = [A, B];\n"],
  ["f.json", '["a", "b", "c"]\n', '["b", "a", "c"]\n', '["a", "x", "b", "c"]\n'],
);

const implicitNumbers = family(
  "h: numbers that follow from the order",
  ["a.ts", "enum E {\n  A,\n}\n", "enum E {\n  A,\n  B,\n}\n", "enum E {\n  A,\n  C,\n}\n"],
  [
    "b.ts",
    "enum E {\n  A,\n  B,\n  C,\n  D,\n  F,\n}\n",
    "enum E {\n  X,\n  A,\n  B,\n  C,\n  D,\n  F,\n}\n",
    "enum E {\n  A,\n  B,\n  C,\n  D,\n  F,\n  Y,\n}\n",
  ],
  ["c.rs", "enum E {\n    A,\n}\n", "enum E {\n    A,\n    B,\n}\n", "enum E {\n    A,\n    C,\n}\n"],
  [
    "d.rs",
    "#[repr(C)]\nstruct S {\n    a: u8,\n}\n",
    "#[repr(C)]\nstruct S {\n    a: u8,\n    b: u8,\n}\n",
    "#[repr(C)]\nstruct S {\n    a: u8,\n    c: u16,\n}\n",
  ],
  ["e.ts", "class A {\n  a = next();\n}\n", "class A {\n  a = next();\n  b = next();\n}\n", "class A {\n  a = next();\n  c = next();\n}\n"],
  [
    "F.java",
    "class F {\n  static int a = next();\n}\n",
    "class F {\n  static int a = next();\n  static int b = next();\n}\n",
    "class F {\n  static int a = next();\n  static int c = next();\n}\n",
  ],
  ["g.ts", "const a = next();\n", "const a = next();\nconst b = next();\n", "const a = next();\nconst c = next();\n"],
  ["h.py", "a = next(i)\n", "a = next(i)\nb = next(i)\n", "a = next(i)\nc = next(i)\n"],
  [
    "i.go",
    go("const (", "\tA = iota", "\tB", ")"),
    go("const (", "\tA = iota", "\tB", "\tC", ")"),
    go("const (", "\tA = iota", "\tB", "\tD", ")"),
  ],
  [
    "j.go",
    go("const (", "\tA = iota", "\tB", "\tC", "\tD", "\tE", ")"),
    go("const (", "\tZ = iota", "\tA", "\tB", "\tC", "\tD", "\tE", ")"),
    go("const (", "\tA = iota", "\tB", "\tC", "\tD", "\tE", "\tF", ")"),
  ],
  ["K.java", "enum K {\n  A\n}\n", "enum K {\n  A,\n  B\n}\n", "enum K {\n  A,\n  C\n}\n"],
  ["l.rs", "struct P(u8);\n", "struct P(u8, u16);\n", "struct P(u8, u32);\n"],
  ["m.go", go("var a = next()"), go("var a = next()", "var b = next()"), go("var a = next()", "var c = next()")],
  [
    "n.py",
    "class E(Enum):\n    A = auto()\n",
    "class E(Enum):\n    A = auto()\n    B = auto()\n",
    "class E(Enum):\n    A = auto()\n    C = auto()\n",
  ],
);

const lineBreaks = family(
  "i: items that were on lines of their own",
  ["a.rs", "fn a() {}\n", "use std::io;\nfn a() {}\n", "#![allow(dead_code)]\nfn a() {}\n"],
  ["b.ts", "run();\n", 'import a from "a";\nrun();\n', 'import b from "b";\nrun();\n', 'import b from "b";\nimport a from "a";\nrun();\n'],
  ["c.py", "run()\n", "import a\nrun()\n", "import b\nrun()\n", "import b\nimport a\nrun()\n"],
  ["d.ts", "", "const a = 1;", "const b = 2;"],
  ["E.java", "class E {}\n", "import a.A;\nclass E {}\n", "import b.B;\nclass E {}\n", "import b.B;\nimport a.A;\nclass E {}\n"],
  [
    "f.ts",
    "function z() {}\n",
    "function a() {}\nfunction z() {}\n",
    "function b() {}\nfunction z() {}\n",
    "function b() {}\nfunction a() {}\nfunction z() {}\n",
  ],
);

const keysTwice = family(
  "j: one key twice",
  [
    "a.yaml",
    "a: 1\nb: 1\nm: 1\nn: 1\no: 1\np: 1\n",
    "a: 1\nk: 2\nb: 1\nm: 1\nn: 1\no: 1\np: 1\n",
    "a: 1\nb: 1\nm: 1\nn: 1\no: 1\nk: 3\np: 1\n",
  ],
  [
    "b.toml",
    "a = 1\nb = 1\nm = 1\nn = 1\no = 1\n",
    "a = 1\nk = 2\nb = 1\nm = 1\nn = 1\no = 1\n",
    "a = 1\nb = 1\nm = 1\nn = 1\nk = 3\no = 1\n",
  ],
  ["c.json", '{\n  "a": 1\n}\n', '{\n  "a": 1,\n  "b": 2\n}\n', '{\n  "a": 1,\n  "\\u0062": 3\n}\n'],
  [
    "d.toml",
    "[a]\nx = 1\n\n[m]\ny = 1\n\n[n]\nz = 1\n",
    "[a]\nx = 1\n\n[k]\nv = 1\n\n[m]\ny = 1\n\n[n]\nz = 1\n",
    "[a]\nx = 1\n\n[m]\ny = 1\n\n[n]\nz = 1\n\n[k]\nv = 2\n",
  ],
  [
    "e.json",
    '{\n  "a": 1,\n  "b": 1,\n  "m": 1,\n  "n": 1,\n  "o": 1\n}\n',
    '{\n  "a": 1,\n  "k": 2,\n  "b": 1,\n  "m": 1,\n  "n": 1,\n  "o": 1\n}\n',
    '{\n  "a": 1,\n  "b": 1,\n  "m": 1,\n  "n": 1,\n  "k": 3,\n  "o": 1\n}\n',
  ],
  ["f.yml", "a: 1\nb: 1\nm: 1\nn: 1\n", 'a: 1\n"k": 2\nb: 1\nm: 1\nn: 1\n', "a: 1\nb: 1\nm: 1\nk: 3\nn: 1\n"],
  [
    "i.yaml",
    "jobs:\n  a:\n    run: 1\n  m:\n    run: 1\n  n:\n    run: 1\n",
    "jobs:\n  a:\n    run: 1\n  k:\n    run: 2\n  m:\n    run: 1\n  n:\n    run: 1\n",
    "jobs:\n  a:\n    run: 1\n  m:\n    run: 1\n  n:\n    run: 1\n  k:\n    run: 3\n",
  ],
  ["j.yaml", "a: 1\nb: 1\nm: 1\nn: 1\no: 1\n", "a: 1\nk: {v: 2}\nb: 1\nm: 1\nn: 1\no: 1\n", "a: 1\nb: 1\nm: 1\nn: 1\nk:\n  v: 3\no: 1\n"],
  [
    "k.yaml",
    "---\na: 1\nb: 1\nm: 1\n---\nx: 1\ny: 1\nz: 1\n",
    "---\na: 1\nb: 1\nm: 1\n---\nk: 2\nx: 1\ny: 1\nz: 1\n",
    "---\na: 1\nb: 1\nm: 1\n---\nx: 1\ny: 1\nz: 1\nk: 3\n",
  ],
  [
    "l.toml",
    "[a]\nx = 1\ny = 1\nz = 1\n\n[m]\nq = 1\n",
    "[a]\nk.v = 2\nx = 1\ny = 1\nz = 1\n\n[m]\nq = 1\n",
    "[a]\nx = 1\ny = 1\nz = 1\n\n[m]\nq = 1\n\n[a.k]\nv = 3\n",
  ],
  ["m.toml", "a = 1\nb = 1\nm = 1\nn = 1\n", 'a = 1\n"k" = 2\nb = 1\nm = 1\nn = 1\n', "a = 1\nb = 1\nm = 1\nk = 3\nn = 1\n"],
  ["g.ts", "const o = { a: 1 };\n", 'const o = { a: 1, "b": 2 };\n', "const o = { a: 1, b: 3 };\n"],
  ["h.py", 'd = {"a": 1}\n', 'd = {"a": 1, "b": 2}\n', "d = {\"a\": 1, 'b': 3}\n"],
);

export const MERGE_FAMILIES: readonly MergeScenario[] = [
  ...deletedWithAttribute,
  ...deletedWithComment,
  ...sameNameOtherString,
  ...otherIndentation,
  ...names,
  ...orderedLists,
  ...reorderedAndDeleted,
  ...implicitNumbers,
  ...lineBreaks,
  ...keysTwice,
];
