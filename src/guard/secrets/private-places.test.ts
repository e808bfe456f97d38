import { userInfo } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { privatePlaces } from "./private-places.ts";

test("keys are looked for below the home that is named and below the account's own", () => {
  const places = privatePlaces.named("/home/ada", {});
  expect(places).toContain("/home/ada/.ssh");
  expect(places).toContain(path.join(userInfo().homedir, ".ssh"));
});

test("a variable moves what stands below its folder, or names one place; what is no place of keys is none", () => {
  const env = {
    XDG_CONFIG_HOME: "/x",
    CARGO_HOME: "/cargo",
    KUBECONFIG: "/one:/two",
    CODEX_HOME: "relative",
    HISTFILE: "/dev/null",
    NETRC: "/home",
    GNUPGHOME: "/home/ada",
  };
  const more = new Set(privatePlaces.named("/home/ada", env)).difference(new Set(privatePlaces.named("/home/ada", {})));
  expect(more).toContain("/x/gh");
  expect(more).toContain("/cargo/credentials.toml");
  expect(more).toContain("/one");
  expect(more).toContain("/two");
  for (const none of ["relative", "/dev/null", "/home", "/home/ada"]) expect(more).not.toContain(none);
});
