import type { Language } from "./language.ts";

export const swift: Language = {
  id: "swift",
  extensions: [".swift"],
  tools: {
    linter: { id: "swiftlint", install: ["brew", "install", "swiftlint"] },
    formatter: { id: "swift-format", install: ["brew", "install", "swift-format"] },
    type_checker: { id: "swiftc" },
    lsp: { id: "sourcekit-lsp" },
    test_framework: { id: "swift-test" },
  },
};
