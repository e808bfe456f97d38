/** What a file is, judged by name and first bytes. */
import path from "node:path";
import { languageOf } from "../../code/index.ts";
import type { FileKind } from "../store/file-report.ts";

const DOC = /\.(?:md|mdx|markdown|rst|adoc|asciidoc|txt|html?|pdf|org|tex)$/iu;
const DOC_NAMES = /^(?:readme|changelog|changes|history|news|license|licence|contributing|authors|notice|copying)(?:\.|$)/iu;
const CONFIG = /\.(?:json|jsonc|json5|ya?ml|toml|ini|cfg|conf|properties|xml|gradle|editorconfig|lock|mod|sum|env\..*)$/iu;
/** Code in languages that have no record of their own in `code`. */
const OTHER_CODE =
  /\.(?:scala|hh|m|mm|lua|pl|pm|r|jl|erl|hrl|hs|clj|cljs|elm|astro|zsh|fish|ps1|sql|proto|graphql|css|scss|sass|less|nim|v|sol|cmake|groovy|vb|fs|fsx)$/iu;
const CODE_NAMES = /^(?:makefile|dockerfile|rakefile|gemfile|justfile|cmakelists\.txt|build|workspace)$/iu;
const DATA = /\.(?:csv|tsv|jsonl|ndjson|svg|snap|po|pot|ipynb|geojson|log|patch|diff)$/iu;
const BINARY =
  /\.(?:png|jpe?g|gif|webp|ico|bmp|tiff?|avif|mp[34]|wav|ogg|webm|mov|avi|zip|gz|tgz|bz2|xz|7z|rar|jar|war|class|exe|dll|so|dylib|a|o|wasm|woff2?|ttf|otf|eot|db|sqlite3?|bin|dat|pyc|keystore|jks)$/iu;
const GENERATED =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|poetry\.lock|uv\.lock|pdm\.lock|pipfile\.lock|cargo\.lock|gemfile\.lock|composer\.lock|go\.sum|flake\.lock)$|\.min\.(?:js|css)$|\.(?:pb\.go|pb\.cc|pb\.h)$|_pb2(?:_grpc)?\.py$|\.(?:js|css)\.map$/iu;
const TEST =
  /(?:^|\/)(?:tests?|__tests__|specs?|testing|testdata|fixtures?|e2e)(?:\/|$)|(?:^|\/)test_[^/]+$|[._-](?:test|spec|tests)\.[^/]+$|(?:^|\/)[^/]*(?:Test|Tests|Spec|IT)\.scala$|_test\.\w+$/u;

export function kindByName(file: string): FileKind {
  const name = path.posix.basename(file);
  if (GENERATED.test(file)) return "generated";
  if (BINARY.test(name)) return "binary";
  if (
    /^cmakelists\.txt$/iu.test(name) ||
    languageOf(path.posix.extname(name).toLowerCase()) !== undefined ||
    OTHER_CODE.test(name) ||
    CODE_NAMES.test(name)
  )
    return "code";
  if (DOC.test(name) || DOC_NAMES.test(name)) return "doc";
  if (CONFIG.test(name)) return "config";
  if (DATA.test(name)) return "data";
  return "text";
}

export function isTestFile(file: string): boolean {
  const extension = path.posix.extname(file);
  return TEST.test(file) || languageOf(extension.toLowerCase())?.testName?.test(path.posix.basename(file, extension)) === true;
}

const SNIFF_BYTES = 8_192;

export function looksBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, SNIFF_BYTES).includes(0);
}

const LONG_LINE = 2_000;

/** Minified or machine-made: few, very long lines. */
export function looksGenerated(text: string): boolean {
  const head = text.slice(0, 50_000);
  const lines = head.split("\n");
  return head.length / lines.length > LONG_LINE / 4 && lines.some((line) => line.length > LONG_LINE);
}
