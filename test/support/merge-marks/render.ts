/** The same random program in ten languages. Every mark of it is written once, a value right behind its name. */
import type { Kid, Piece, Program } from "./program.ts";

interface Words {
  note: string;
  /** Written before a piece; undefined: as a note. */
  attribute?: (mark: string) => string;
  head?: string;
  foot?: string;
  indent: string;
  /** Between pieces. */
  gap: string;
  piece(one: Piece, kids: { block(indent: string): string; list(open: string, close: string, keyed: string | undefined): string }): string;
  statement(kid: Kid): string;
  /** No notes at all. */
  silent?: boolean;
}

const script: Words = {
  note: "//",
  indent: "",
  gap: "\n",
  statement: (kid) => `${kid.id}(${kid.value});`,
  piece(one, kids) {
    switch (one.shape) {
      case "scalar":
        return `const ${one.id} = ${one.value};`;
      case "call":
        return `const ${one.id} = ${one.value}();`;
      case "block":
        return `function ${one.id}(${one.value}) {\n${kids.block("  ")}}`;
      case "sequence":
        return `const ${one.id} = ${one.value}, x${one.id.slice(1)} = ${kids.list("[", "]", undefined)};`;
      case "map":
        return `const ${one.id} = ${one.value}, x${one.id.slice(1)} = ${kids.list("{", "}", ": ")};`;
    }
  },
};

const WORDS: Readonly<Record<string, Words>> = {
  ts: script,
  js: { ...script, gap: "" },
  py: {
    note: "#",
    indent: "",
    gap: "\n\n",
    statement: (kid) => `${kid.id}(${kid.value})`,
    piece(one, kids) {
      switch (one.shape) {
        case "scalar":
          return `${one.id} = ${one.value}`;
        case "call":
          return `${one.id} = ${one.value}()`;
        case "block":
          return `def ${one.id}(${one.value}):\n${kids.block("    ").replace(/\n$/u, "")}`;
        case "sequence":
          return `${one.id} = ${one.value}.of(${kids.list("[", "]", undefined)})`;
        case "map":
          return `${one.id} = ${one.value} | ${kids.list("{", "}", ": ")}`;
      }
    },
  },
  go: {
    note: "//",
    head: "package p\n\n",
    indent: "",
    gap: "\n",
    statement: (kid) => `${kid.id}(${kid.value})`,
    piece(one, kids) {
      switch (one.shape) {
        case "scalar":
          return `var ${one.id} = ${one.value}`;
        case "call":
          return `var ${one.id} = ${one.value}()`;
        case "block":
          return `func ${one.id}(${one.value} int) {\n${kids.block("\t")}}`;
        case "sequence":
          return `var ${one.id} = []${one.value}${kids.list("{", "}", undefined)}`;
        case "map":
          return `var ${one.id} = ${one.value}${kids.list("{", "}", ": ")}`;
      }
    },
  },
  rs: {
    note: "//",
    attribute: (mark) => `#[${mark}]`,
    indent: "",
    gap: "\n",
    statement: (kid) => `${kid.id}(${kid.value});`,
    piece(one, kids) {
      switch (one.shape) {
        case "scalar":
        case "call":
          return `const ${one.id}: u8 = ${one.value};`;
        case "block":
          return `fn ${one.id}(${one.value}: u8) {\n${kids.block("    ")}}`;
        case "sequence":
          return `const ${one.id}: ${one.value} = ${kids.list("[", "]", undefined)};`;
        case "map":
          return `const ${one.id}: ${one.value} = X ${kids.list("{", "}", ": ")};`;
      }
    },
  },
  java: {
    note: "//",
    attribute: (mark) => `@${mark}`,
    head: "class K {\n",
    foot: "}\n",
    indent: "  ",
    gap: "\n",
    statement: (kid) => `${kid.id}(${kid.value});`,
    piece(one, kids) {
      switch (one.shape) {
        case "scalar":
        case "map":
          return `int ${one.id} = ${[one.value, ...one.kids.flatMap((kid) => [kid.id, kid.value])].join(" + ")};`;
        case "call":
          return `int ${one.id} = ${one.value}();`;
        case "block":
          return `void ${one.id}(int ${one.value}) {\n${kids.block("    ")}  }`;
        case "sequence":
          return `${one.id}[] ${one.value} = ${kids.list("{", "}", undefined)};`;
      }
    },
  },
  jsonc: {
    note: "//",
    head: "{\n",
    foot: "}\n",
    indent: "  ",
    gap: "",
    statement: (kid) => `"${kid.id}": "${kid.value}"`,
    piece(one, kids) {
      const value = one.shape === "sequence" ? kids.list("[", "]", undefined) : kids.list("{", "}", ": ");
      return one.kids.length === 0 ? `"${one.id}": "${one.value}",` : `"${one.id}": ["${one.value}", ${value}],`;
    },
  },
  yaml: {
    note: "#",
    indent: "",
    gap: "",
    statement: (kid) => `${kid.id}: ${kid.value}`,
    piece(one, kids) {
      if (one.kids.length === 0) return `${one.id}: ${one.value}`;
      return one.shape === "sequence"
        ? `${one.id}: # ${one.value}\n${kids.block("  - ").replace(/\n$/u, "")}`
        : `${one.id}: # ${one.value}\n${kids.block("  ").replace(/\n$/u, "")}`;
    },
  },
  toml: {
    note: "#",
    indent: "",
    gap: "\n",
    statement: (kid) => `${kid.id} = "${kid.value}"`,
    piece: (one, kids) =>
      `[${one.id}]\n${one.id}v = "${one.value}"${one.kids.length === 0 ? "" : `\n${kids.block("").replace(/\n$/u, "")}`}`,
  },
  md: {
    note: "",
    silent: true,
    indent: "",
    gap: "\n",
    statement: (kid) => `${kid.id} ${kid.value}`,
    piece(one, kids) {
      if (one.shape === "sequence") return `# ${one.id} ${one.value}\n\n${kids.block("1. ").replace(/\n$/u, "")}`;
      return `# ${one.id} ${one.value}${one.kids.length === 0 ? "" : `\n\n${kids.block(one.shape === "map" ? "- " : "").replace(/\n$/u, "")}`}`;
    },
  },
};

export const MARK_LANGUAGES: readonly string[] = Object.keys(WORDS);

/** `nothing`: this language cannot write all marks of the program; the marks it can are in the text. */
export function render(program: Program, language: string): string {
  const words = WORDS[language] as Words;
  const quoted = language === "jsonc";
  const word = (mark: string): string => (quoted ? `"${mark}"` : mark);
  const pieces = program.pieces.map((one) => {
    const paragraphs = language === "md" && one.shape === "block";
    const noted = (kid: Kid, indent: string, text: string): string => {
      const lead = kid.note === undefined || words.silent === true ? "" : `${indent.replace("- ", "")}${words.note} ${kid.note}\n`;
      const tail = kid.tail === undefined || words.silent === true ? "" : ` ${words.note} ${kid.tail}`;
      return `${lead}${indent}${text}${tail}\n${paragraphs ? "\n" : ""}`;
    };
    const kids = {
      block: (indent: string): string => one.kids.map((kid) => noted(kid, indent, words.statement(kid))).join(""),
      list(open: string, close: string, keyed: string | undefined): string {
        const entry = (kid: Kid): string =>
          keyed === undefined
            ? `${word(kid.id)}${quoted ? `, "${kid.value}"` : ` + ${kid.value}`}`
            : `${word(kid.id)}${keyed}${word(kid.value)}`;
        if (program.flat) return `${open}${one.kids.map(entry).join(", ")}${close}`;
        return `${open}\n${one.kids.map((kid) => noted(kid, `${words.indent}  `, `${entry(kid)},`)).join("")}${words.indent}${close}`;
      },
    };
    const lead = [
      one.note === undefined || words.silent === true ? "" : `${words.indent}${words.note} ${one.note}\n`,
      one.attribute === undefined || words.silent === true
        ? ""
        : `${words.indent}${words.attribute?.(one.attribute) ?? `${words.note} ${one.attribute}`}\n`,
    ].join("");
    const body = words.piece(one, kids);
    const tail = one.tail === undefined || words.silent === true || body.includes("\n") ? "" : ` ${words.note} ${one.tail}`;
    return `${lead}${words.indent}${body}${tail}\n`;
  });
  return `${words.head ?? ""}${pieces.join(words.gap)}${words.foot ?? ""}`;
}
