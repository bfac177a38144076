#!/usr/bin/env bash
# The main job on a sample, as a newcomer would type it: what is wrong, how it runs, and a faster variant as a patch.
set -euo pipefail
cd "$(dirname "$0")/.."
operator=${1:-samples/scaled_add}
out=${2:-out/demo}
ascendopt=.venv/bin/ascendopt

step() {
    printf '\n\033[1m$ ascendopt %s\033[0m\n' "$*"
    "$ascendopt" "$@"
}

rm -rf "$out"
step device doctor
step check "$operator"
step run "$operator"
step tune "$operator" --budget 30 --seed 1 --out "$out"
printf '\n\033[1m$ cat %s/best.patch\033[0m\n' "$out"
cat "$out/best.patch"
