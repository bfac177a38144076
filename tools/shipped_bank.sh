#!/usr/bin/env bash
# Builds the bank that the package ships: rewind over samples/, nothing else. Run it when samples or operators change.
set -euo pipefail
cd "$(dirname "$0")/.."
shipped=bank/ascendopt/bank/shipped/bank.json
work=$(mktemp -d)
cp "$shipped" "$work/before.json"
trap 'cp "$work/before.json" "$shipped"; rm -rf "$work"' EXIT

# A new bank takes in what is shipped: for once, nothing is.
printf '{"format": "ascendopt-bank", "motifs": [], "version": 1}\n' > "$shipped"
.venv/bin/ascendopt rewind samples/scaled_add samples/mish samples/rms_scale samples/foreach_lerp \
    --budget 20 --seed 0 --bank "$work/bank" --out "$work/run"
.venv/bin/ascendopt bank export "$work/before.json" --bank "$work/bank"
