/** Who runs this, and on which machine: inputs that bind stored credentials to one place (CRE-004). */
import { readFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";

const ID_FILES = ["/etc/machine-id", "/var/lib/dbus/machine-id"];

function machineId(): string {
  for (const file of ID_FILES) {
    try {
      const id = readFileSync(file, "utf8").trim();
      if (id !== "") return id;
    } catch {
      // Not this kind of system: try the next place.
    }
  }
  return hostname();
}

export function machineIdentity(): string {
  return `${machineId()}\n${userInfo().username}`;
}
