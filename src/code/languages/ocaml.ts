import type { Language } from "./language.ts";

export const ocaml: Language = {
  id: "ocaml",
  extensions: [".ml", ".mli"],
  tools: {
    formatter: { id: "ocamlformat", install: ["opam", "install", "ocamlformat"] },
    type_checker: { id: "dune-build" },
    lsp: { id: "ocaml-lsp", install: ["opam", "install", "ocaml-lsp-server"] },
    test_framework: { id: "dune-test", install: ["opam", "install", "alcotest"] },
  },
};
