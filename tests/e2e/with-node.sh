#!/usr/bin/env bash
# Runs a command with a node >= 22 first on the PATH: `with-node.sh npm --prefix vscode-client run check`.
# For npm scripts the client's dependencies are installed first, once.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
client="$(cd "$here/../../vscode-client" && pwd)"
bin="$("$here/node.sh")"
export PATH="$bin:$PATH"

if [ "$1" = npm ] && ! [ "$client/node_modules/.package-lock.json" -nt "$client/package-lock.json" ]; then
  npm --prefix "$client" ci --ignore-scripts --loglevel=error >&2
fi
exec "$@"
