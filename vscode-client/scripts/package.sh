#!/usr/bin/env bash
# Builds dist/ and packs ascendopt.vsix. Needs node >= 22 (vsce does); `make client` brings one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[ -x node_modules/.bin/esbuild ] || npm ci --ignore-scripts --no-audit --no-fund
npm run --silent check
npm run --silent build
cp ../LICENSE dist/
# The bundles already hold the dependencies.
node_modules/.bin/vsce package --no-dependencies --skip-license --allow-missing-repository --out ascendopt.vsix
