import path from "node:path";
import { sqliteDriver } from "../../src/journal/index.ts";
import { tempDir } from "../support/temp.ts";
import { storeContract } from "./store-contract.ts";

storeContract({
  name: "SQLite",
  place() {
    const file = path.join(tempDir(), "sylk.db");
    return { open: ({ clock, views }) => sqliteDriver.open({ path: file, clock, views: views ?? [], durability: "process" }) };
  },
});
