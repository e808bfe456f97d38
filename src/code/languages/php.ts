import type { Language } from "./language.ts";
import { npm } from "./install.ts";

export const php: Language = {
  id: "php",
  extensions: [".php"],
  tools: {
    linter: { id: "phpstan", install: ["composer", "require", "--dev", "phpstan/phpstan"] },
    formatter: { id: "php-cs-fixer", install: ["composer", "require", "--dev", "friendsofphp/php-cs-fixer"] },
    type_checker: { id: "phpstan", install: ["composer", "require", "--dev", "phpstan/phpstan"] },
    lsp: { id: "intelephense", install: npm("intelephense") },
    test_framework: { id: "phpunit", install: ["composer", "require", "--dev", "phpunit/phpunit"] },
  },
};
