#!/usr/bin/env node
// Entry of the published package. Old syntax on purpose: an old Node must get as far as the message.
if (Number(process.versions.node.split(".")[0]) < 24) {
  console.error(`sylk: Node.js 24 or newer is needed, this is ${process.version}`);
  console.error("fix: install it from https://nodejs.org");
  process.exitCode = 1;
} else {
  await import("./dist/main.js");
}
