#!/usr/bin/env bash
# Installs the programs Sylk uses besides Node: git, ripgrep, and on Linux bubblewrap and socat for the
# sandbox; on Debian also the language servers and shells that tests speak to. Does nothing when they are there; says
# what is missing when it cannot install.
set -euo pipefail

wanted=(git:git rg:ripgrep)
[ "$(uname -s)" != Linux ] || wanted+=(bwrap:bubblewrap socat:socat)
# What only some tests need: they say so and are left out without it.
[ ! -f /etc/debian_version ] || wanted+=(go:golang-go gopls:gopls clangd:clangd clang-format:clang-format zsh:zsh fish:fish)
missing() {
  local pair
  for pair in "${wanted[@]}"; do
    command -v "${pair%%:*}" >/dev/null 2>&1 || echo "${pair##*:}"
  done
}
[ -n "$(missing)" ] || exit 0

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null 2>&1; then sudo -n "$@"
  else return 1
  fi
}
install_one() {
  if command -v apt-get >/dev/null 2>&1; then as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1"
  elif command -v dnf >/dev/null 2>&1; then as_root dnf install -y -q "$1"
  elif command -v apk >/dev/null 2>&1; then as_root apk add -q "$1"
  elif command -v brew >/dev/null 2>&1; then brew install --quiet "$1"
  else return 1
  fi
}
# One after the other, so that one that cannot be had does not keep the others away.
if command -v apt-get >/dev/null 2>&1; then as_root apt-get update -qq >/dev/null || true; fi
for package in $(missing); do
  echo "setup: installing $package" >&2
  install_one "$package" >/dev/null || true
done
left=$(missing)
[ -n "$left" ] || exit 0
echo "setup: please install: $(echo "$left" | tr '\n' ' ')" >&2
exit 1
