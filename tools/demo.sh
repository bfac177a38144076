#!/usr/bin/env bash
# The main job on a sample, as a newcomer would type it: what is wrong, how it runs, and a faster variant as a patch.
set -euo pipefail
cd "$(dirname "$0")/.."
operator=${1:-samples/scaled_add}
out=${2:-out/demo}
ascendopt=.venv/bin/ascendopt

heading() {
    if [ -t 1 ]; then printf '\n\033[1m$ %s\033[0m\n' "$1"; else printf '\n$ %s\n' "$1"; fi
}

step() {
    heading "ascendopt $*"
    "$ascendopt" "$@"
}

rm -rf "$out"
step device doctor
step check "$operator"
step run "$operator"
step tune "$operator" --budget 30 --seed 1 --out "$out"
heading "cat $out/best.patch"
cat "$out/best.patch"
