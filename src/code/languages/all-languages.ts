/** Every language and text format known here: a new one is its file and its place in this list. */
import { bash } from "./bash.ts";
import { c } from "./c.ts";
import { cpp } from "./cpp.ts";
import { csharp } from "./csharp.ts";
import { dart } from "./dart.ts";
import { elixir } from "./elixir.ts";
import { go } from "./go.ts";
import { java } from "./java.ts";
import { javascript } from "./javascript.ts";
import { json } from "./json.ts";
import { kotlin } from "./kotlin.ts";
import { markdown } from "./markdown.ts";
import { nix } from "./nix.ts";
import { ocaml } from "./ocaml.ts";
import { php } from "./php.ts";
import { python } from "./python.ts";
import { ruby } from "./ruby.ts";
import { rust } from "./rust.ts";
import { svelte } from "./svelte.ts";
import { swift } from "./swift.ts";
import { terraform } from "./terraform.ts";
import { typescript } from "./typescript.ts";
import { vue } from "./vue.ts";
import { zig } from "./zig.ts";
import type { Language, TextFormat } from "./language.ts";

export const LANGUAGES: readonly Language[] = [
  bash,
  c,
  cpp,
  csharp,
  dart,
  elixir,
  go,
  java,
  javascript,
  kotlin,
  nix,
  ocaml,
  php,
  python,
  ruby,
  rust,
  svelte,
  swift,
  terraform,
  typescript,
  vue,
  zig,
];

export const FORMATS: readonly TextFormat[] = [json, markdown];
