#!/usr/bin/env bash
# The editor, end to end: VS Code (code-server) in a real Chromium, our extension, our server, the model device.
# Installs what is missing, builds the extension when its sources changed, runs the scenario, cleans up after itself.
# Screenshots and logs: tests/e2e/artifacts/. Exit code 1 when a step fails.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(cd "$here/../.." && pwd)"
client="$root/vscode-client"
vsix="$client/ascendopt.vsix"

"$here/install.sh"

if [ ! -e "$vsix" ] || [ -n "$(find "$client"/{src,scripts,package.json,package-lock.json,esbuild.mjs,tsconfig.json,.vscodeignore,README.md} -newer "$vsix" -print -quit)" ]; then
  "$here/with-node.sh" npm --prefix "$client" run --silent package
fi

export E2E_ROOT="$root" E2E_VSIX="$vsix"
export NODE_PATH="$root/.e2e/tools/node_modules"
exec "$here/with-node.sh" node "$here/run.mjs"
