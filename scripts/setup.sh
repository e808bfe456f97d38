#!/usr/bin/env bash
# Installs the programs Sylk uses besides Node: git, ripgrep, and on Linux bubblewrap and socat for the
# sandbox. Does nothing when they are there; says what is missing when it cannot install.
set -euo pipefail

wanted=(git:git rg:ripgrep)
[ "$(uname -s)" = Linux ] && wanted+=(bwrap:bubblewrap socat:socat)
missing=()
for pair in "${wanted[@]}"; do
  command -v "${pair%%:*}" >/dev/null 2>&1 || missing+=("${pair##*:}")
done
[ ${#missing[@]} -gt 0 ] || exit 0

sudo=()
[ "$(id -u)" = 0 ] || ! command -v sudo >/dev/null 2>&1 || sudo=(sudo -n)
if command -v apt-get >/dev/null 2>&1; then
  export DEBIAN_FRONTEND=noninteractive
  ${sudo[@]+"${sudo[@]}"} apt-get update -qq >/dev/null && ${sudo[@]+"${sudo[@]}"} apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
elif command -v brew >/dev/null 2>&1; then
  brew install --quiet "${missing[@]}"
else
  echo "setup: please install: ${missing[*]}" >&2
  exit 1
fi
