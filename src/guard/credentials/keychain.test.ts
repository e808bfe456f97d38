/** The system's keychain is not ours in a test, so the library that reaches it is replaced by one that remembers. */
import { beforeEach, expect, test, vi } from "vitest";
import { createSystemKeychain } from "./keychain.ts";

const keyring = vi.hoisted(() => ({ held: new Map<string, string>(), calls: [] as string[], broken: false }));
vi.mock("@napi-rs/keyring", () => ({
  AsyncEntry: class {
    readonly #key: string;
    constructor(service: string, account: string) {
      this.#key = `${service} ${account}`;
    }
    #call(name: string): void {
      keyring.calls.push(`${name} ${this.#key}`);
      if (keyring.broken) throw new Error("no secret service");
    }
    async getPassword(): Promise<string | null> {
      this.#call("get");
      return keyring.held.get(this.#key) ?? null;
    }
    async setPassword(secret: string): Promise<void> {
      this.#call("set");
      keyring.held.set(this.#key, secret);
    }
    async deleteCredential(): Promise<boolean> {
      this.#call("delete");
      return keyring.held.delete(this.#key);
    }
  },
}));
beforeEach(() => {
  keyring.held.clear();
  keyring.calls.length = 0;
  keyring.broken = false;
});

test("CRE-002: a secret is kept under the service of its profile and the account of its provider, read back and removed", async () => {
  const keychain = createSystemKeychain();
  await keychain.set("work", "openai", "k1");
  await keychain.set("default", "openai", "k2");
  expect(Object.fromEntries(keyring.held)).toEqual({ "sylk:work openai": "k1", "sylk:default openai": "k2" });
  expect(await keychain.get("work", "openai")).toBe("k1");
  expect(await keychain.get("work", "google")).toBeUndefined();
  expect(await keychain.delete("work", "openai")).toBe(true);
  expect([...keyring.held.keys()]).toEqual(["sylk:default openai"]);
});

test("CRE-002: whether there is a keychain is found out by using it, and leaves nothing behind", async () => {
  expect(await createSystemKeychain().available()).toBe(true);
  expect(keyring.calls).toEqual(["set sylk:probe probe", "delete sylk:probe probe"]);
  expect(keyring.held.size).toBe(0);
  keyring.broken = true;
  expect(await createSystemKeychain().available()).toBe(false);
});
