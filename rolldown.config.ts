/** The published bundle: one small file per command, workers as their own chunks, and packages left outside but for those that stand before the first thing shown. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { defineConfig, type InputOptions, type OutputOptions, type Plugin } from "rolldown";

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));
const manifest = read("package.json") as Record<"dependencies" | "optionalDependencies", Record<string, string>>;
/** Hundreds of small files, read one by one before anything is shown: a few larger ones are read sooner. With them come the packages they need. */
const takenIn = read("scripts/package/taken-in.json") as string[];
const packages = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).filter((name) => !takenIn.includes(name));

/** `new URL("./x.ts", import.meta.url)` names a worker: bundle it and point to the bundled file. */
function workers(): Plugin {
  return {
    name: "workers",
    transform: {
      filter: { code: /new URL\(\s*["'][^"']+\.ts["']\s*,\s*import\.meta\.url\s*\)/ },
      handler(code, id) {
        return code.replace(/new URL\(\s*["']([^"']+\.ts)["']\s*,\s*import\.meta\.url\s*\)/g, (_all, relative: string) => {
          const file = path.resolve(path.dirname(id), relative);
          const fileName = `${path.basename(relative, ".ts")}.js`;
          this.emitFile({ type: "chunk", id: file, fileName });
          return `new URL("./${fileName}", import.meta.url)`;
        });
      },
    },
  };
}

export const reading: InputOptions = {
  platform: "node",
  external: [/^node:/, ...packages.map((name) => new RegExp(`^${name}(/|$)`))],
  plugins: [workers()],
};

export const writing: OutputOptions = {
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "[name]-[hash].js",
  minify: true,
};

export default defineConfig({
  ...reading,
  input: { main: "src/surface/cli/main.ts" },
  output: { ...writing, dir: "dist", cleanDir: true },
});
