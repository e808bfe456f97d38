/**
 * Optional platform packages that a lock file promises but does not describe. npm leaves them out
 * when the registry in use lacks other platforms' packages, and then refuses its own lock in `npm ci`.
 */

const SYSTEMS = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"];
const PROCESSORS = ["arm", "arm64", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "wasm32", "x64"];

/** Where npm would look for `name` from the package at `where`, nearest first. */
function lookupPlaces(where, name) {
  const places = [];
  for (let at = where; at !== ""; at = at.includes("/node_modules/") ? at.slice(0, at.lastIndexOf("/node_modules/")) : "") {
    places.push(`${at}/node_modules/${name}`);
  }
  return [...places, `node_modules/${name}`];
}

/** What a platform package's name says about where it runs. */
function platformOf(name) {
  const words = name.split("/").at(-1)?.split("-") ?? [];
  const os = SYSTEMS.find((word) => words.includes(word));
  const cpu = PROCESSORS.find((word) => words.includes(word));
  const libc =
    os !== "linux"
      ? undefined
      : words.some((w) => w.startsWith("musl"))
        ? "musl"
        : words.some((w) => w.startsWith("gnu"))
          ? "glibc"
          : undefined;
  return { ...(cpu && { cpu: [cpu] }), ...(libc && { libc: [libc] }), ...(os && { os: [os] }) };
}

export function missingEntries(lock) {
  const packages = lock.packages;
  const missing = new Map();
  for (const [where, owner] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(owner.optionalDependencies ?? {})) {
      if (!/^\d+\.\d+\.\d+/.test(version)) continue;
      const found = lookupPlaces(where, name).find((place) => place in packages || missing.has(place));
      if (found !== undefined && (packages[found] ?? missing.get(found)).version === version) continue;
      const place = found === undefined || where === "" ? `node_modules/${name}` : `${where}/node_modules/${name}`;
      missing.set(place, { version, ...(owner.dev && { dev: true }), optional: true, ...platformOf(name) });
    }
  }
  return [...missing].map(([place, entry]) => ({ place, entry }));
}
