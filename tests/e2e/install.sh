#!/usr/bin/env bash
# Installs what the end-to-end test needs, once: Chromium and a font (apt), node 24 (PyPI), code-server and
# playwright-core (npm). Everything but Chromium lands in .node/ and .e2e/, which git ignores.
#
# code-server is installed without its native modules (--ignore-scripts): a terminal and a keyring are not
# needed here, and building them takes minutes and a compiler.
set -Eeuo pipefail
trap 'echo "e2e install: failed: $BASH_COMMAND" >&2' ERR

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
tools="$root/.e2e/tools"
code_server_version=4.139.1
playwright_version=1.65.1

say() { printf 'e2e install: %s\n' "$*"; }

install_chromium() {
  [ -n "${E2E_CHROMIUM:-}" ] && return
  command -v chromium >/dev/null 2>&1 && fc-list 2>/dev/null | grep -qi dejavu && return
  command -v apt-get >/dev/null 2>&1 || {
    echo "e2e: Chromium is missing and apt-get is not available; install the packages chromium and fonts-dejavu-core." >&2
    exit 2
  }
  say "chromium"
  local sudo=""
  [ "$(id -u)" = 0 ] || sudo="sudo -n"
  $sudo apt-get update -qq
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core fontconfig >/dev/null
}

install_code_server() {
  local stamp="$tools/.code-server-$code_server_version"
  [ -e "$stamp" ] && return
  say "code-server $code_server_version"
  mkdir -p "$tools"
  [ -e "$tools/package.json" ] || printf '{"private": true}\n' >"$tools/package.json"
  (cd "$tools" && npm install --ignore-scripts --no-audit --no-fund --loglevel=error --no-package-lock \
    "code-server@$code_server_version" "playwright-core@$playwright_version" >/dev/null)
  local vscode="$tools/node_modules/code-server/lib/vscode"
  (cd "$vscode" && npm install --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null)
  # Parts that the test never uses; without them the workbench starts in half the time.
  rm -rf "$vscode"/extensions/{copilot,mermaid-markdown-features,microsoft-authentication} \
    "$vscode"/extensions/github* "$vscode"/extensions/ms-vscode.js-debug* \
    "$vscode"/extensions/ms-vscode.vscode-js-profile-table "$vscode"/node_modules/@github
  (cd "$vscode/extensions" && npm install --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null)
  touch "$stamp"
}

install_chromium
bin="$("$root/tests/e2e/node.sh")"
PATH="$bin:$PATH" install_code_server
say "ready"
