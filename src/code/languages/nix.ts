import type { Language } from "./language.ts";

export const nix: Language = {
  id: "nix",
  extensions: [".nix"],
  tools: {
    linter: { id: "statix", install: ["nix-env", "-iA", "nixpkgs.statix"] },
    formatter: { id: "nixfmt", install: ["nix-env", "-iA", "nixpkgs.nixfmt"] },
    lsp: { id: "nixd", install: ["nix-env", "-iA", "nixpkgs.nixd"] },
  },
};
