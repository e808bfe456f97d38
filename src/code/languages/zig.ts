import type { Language } from "./language.ts";

export const zig: Language = {
  id: "zig",
  extensions: [".zig"],
  tools: { formatter: { id: "zig-fmt" }, type_checker: { id: "zig-build" }, lsp: { id: "zls" }, test_framework: { id: "zig-test" } },
};
