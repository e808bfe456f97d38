#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { run } from "../src/cli.js";

const { code, out, error } = run(process.argv.slice(2), (file) => readFileSync(file, "utf8"));
if (out !== "") process.stdout.write(out);
if (error !== "") process.stderr.write(error);
process.exitCode = code;
