// What the scenario stands on: a workspace, code-server, a browser, steps with screenshots.
import { spawn, spawnSync } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createWriteStream } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import * as path from 'node:path';

const root = process.env.E2E_ROOT;
const tools = path.join(root, '.e2e/tools/node_modules');
const codeServer = path.join(tools, 'code-server/out/node/entry.js');
const { chromium } = createRequire(path.join(tools, 'x.js'))('playwright-core');

export const folders = {
  root,
  python: path.join(root, '.venv/bin/python'),
  artifacts: path.join(root, 'tests/e2e/artifacts'),
  data: path.join(root, '.e2e/data'),
  workspace: path.join(root, '.e2e/workspace/scaled_add'),
  bank: path.join(root, '.e2e/bank'),
};

/** A copy of the sample with a fault in its kernel, a tensor that is freed twice, and a slow tile length in its host code. */
export async function prepareWorkspace() {
  await rm(path.dirname(folders.workspace), { recursive: true, force: true });
  await rm(folders.artifacts, { recursive: true, force: true });
  await mkdir(folders.artifacts, { recursive: true });
  await cp(path.join(root, 'samples/scaled_add'), folders.workspace, { recursive: true });
  const kernel = path.join(folders.workspace, 'op_kernel/scaled_add.cpp');
  const host = path.join(folders.workspace, 'op_host/scaled_add.cpp');
  const free = '        yQueue.FreeTensor(y);\n';
  const text = await replaceOnce(kernel, free, free + free);
  // Eight times shorter than the sample's: nothing that a search may change matters as much.
  await replaceOnce(host, 'TILE_LENGTH = 2048;', 'TILE_LENGTH = 256;');
  const [queueLine, queueColumn] = placeOf(text, 'InitBuffer(x1Queue', 'InitBuffer('.length);
  return {
    kernel,
    host,
    // The second of the two.
    faultLine: placeOf(text, free)[0] + 1,
    queueLine,
    queueColumn,
  };
}

/** Experience for the light bulb: what rewind learns from the sample with two buffers, of which the workspace has one. */
export async function prepareBank() {
  const strong = path.join(root, '.e2e/strong/scaled_add');
  await rm(path.dirname(strong), { recursive: true, force: true });
  await rm(folders.bank, { recursive: true, force: true });
  await cp(path.join(root, 'samples/scaled_add'), strong, { recursive: true });
  await replaceOnce(path.join(strong, 'op_kernel/scaled_add.cpp'), 'BUFFER_NUM = 1;', 'BUFFER_NUM = 2;');
  const { status, stderr } = spawnSync(
    path.join(root, '.venv/bin/ascendopt'),
    ['rewind', strong, '--budget', '2', '--bank', folders.bank, '--out', path.join(path.dirname(strong), 'run')],
    { encoding: 'utf8', timeout: 240_000 },
  );
  if (status !== 0) {
    throw new Error(`ascendopt rewind ended with ${status}: ${stderr}`);
  }
}

/** Gives the text as it was. */
export async function replaceOnce(file, old, replacement) {
  const text = await readFile(file, 'utf8');
  if (text.split(old).length !== 2) {
    throw new Error(`the sample has changed: ${path.basename(file)} does not hold this exactly once: ${old.trim()}`);
  }
  await writeFile(file, text.replace(old, replacement));
  return text;
}

/** 1-based line and column of the first `needle`, `inside` characters into it. */
function placeOf(text, needle, inside = 0) {
  const at = text.indexOf(needle);
  if (at < 0) {
    throw new Error(`the sample has changed: no ${needle} in it`);
  }
  const lines = text.slice(0, at + inside + 1).split('\n');
  return [lines.length, lines.at(-1).length];
}

async function freePort() {
  return await new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function writeSettings(budget) {
  await rm(folders.data, { recursive: true, force: true });
  await setInterpreter(folders.python);
  await write('User', {
    'ascendopt.search.budget': budget,
    'ascendopt.rewind.budget': 4,
    'ascendopt.search.seed': 1,
    'chat.disableAIFeatures': true,
    'editor.minimap.enabled': false,
    'editor.stickyScroll.enabled': false,
    'extensions.autoCheckUpdates': false,
    'extensions.autoUpdate': false,
    'files.autoSave': 'off',
    'git.enabled': false,
    // The folder opens restricted, without a question; the scenario grants the trust.
    'security.workspace.trust.startupPrompt': 'never',
    'telemetry.telemetryLevel': 'off',
    'workbench.editor.enablePreview': false,
    'workbench.editor.useModal': 'off',
    'workbench.secondarySideBar.defaultVisibility': 'hidden',
    'workbench.startupEditor': 'none',
    'workbench.tips.enabled': false,
  });
}

/**
 * What names a program or the bank is a setting of the machine: in a remote window, as this one is, VS Code drops it from the user's
 * settings, though not before the trust of a folder changes.
 */
export async function setInterpreter(interpreter, more = {}) {
  await write('Machine', { 'ascendopt.interpreter': interpreter, 'ascendopt.bank.folder': folders.bank, ...more });
}

/** Attempts of the searches that start from now on: settings of the machine go before the user's. */
export async function setBudget(budget) {
  await setInterpreter(folders.python, { 'ascendopt.search.budget': budget });
  // VS Code watches the file, and says nowhere that it has read it.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
}

async function write(kind, settings) {
  await mkdir(path.join(folders.data, kind), { recursive: true });
  await writeFile(path.join(folders.data, kind, 'settings.json'), JSON.stringify(settings, null, 2));
}

/** Starts code-server with the extension; `stop` ends it with everything that it started. */
export async function startEditor(budget) {
  await writeSettings(budget);
  const common = ['--user-data-dir', folders.data, '--extensions-dir', path.join(folders.data, 'extensions')];
  const installed = spawnSync(
    process.execPath,
    [codeServer, ...common, '--install-extension', process.env.E2E_VSIX],
    { encoding: 'utf8', timeout: 120_000 },
  );
  if (installed.status !== 0) {
    throw new Error(`the extension could not be installed:\n${installed.stdout}${installed.stderr}`);
  }
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [
      codeServer, '--config', '/dev/null', '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, ...common,
      '--disable-telemetry', '--disable-update-check', '--disable-getting-started-override',
      // Without it a closed page keeps its extension host, and our server, for three hours.
      '--reconnection-grace-time', '1',
      folders.workspace,
    ],
    { detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const log = createWriteStream(path.join(folders.artifacts, 'code-server.log'));
  child.stdout.pipe(log);
  child.stderr.pipe(log);
  const stop = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It is gone already.
    }
  };
  await until(async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok, 60_000, 'code-server answers').catch((error) => {
    stop();
    throw error;
  });
  return { port, stop };
}

export async function openBrowser(port, file) {
  const browser = await chromium.launch({
    executablePath: process.env.E2E_CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    // The last four keep Chromium from asking its maker for anything.
    args: [
      '--no-sandbox', '--disable-gpu', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-quic', '--disable-sync',
    ],
  });
  const page = await (await browser.newContext({ viewport: { width: 1500, height: 900 } })).newPage();
  // The authority is needed: without it the scheme in the extension host is not `file`.
  const open = [['openFile', `vscode-remote://127.0.0.1:${port}${file}`]];
  const query = new URLSearchParams({ folder: folders.workspace, payload: JSON.stringify(open) });
  await page.goto(`http://127.0.0.1:${port}/?${query}`);
  return { browser, page };
}

/** Polls `check` until it gives something true; errors count as "not yet". */
export async function until(check, timeout, what) {
  const end = Date.now() + timeout;
  let last = '';
  while (Date.now() < end) {
    try {
      const value = await check();
      if (value) {
        return value;
      }
    } catch (error) {
      last = firstLine(error);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`not within ${timeout / 1000} s: ${what}${last === '' ? '' : ` (${last})`}`);
}

/** Playwright's messages go on with a coloured log of every try. */
function firstLine(error) {
  return error.message.split('\n')[0];
}

/** Runs steps one after the other, prints one line each, and keeps a screenshot of each. */
export class Steps {
  constructor() {
    this.started = Date.now();
    this.passed = 0;
    this.failed = 0;
  }

  async run(name, page, body) {
    const label = name.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase();
    try {
      await body();
      this.passed += 1;
      this.say('ok', name);
    } catch (error) {
      this.failed += 1;
      this.say('FAIL', `${name}: ${firstLine(error)}`);
      throw new StepFailed();
    } finally {
      const file = path.join(folders.artifacts, `${String(this.passed + this.failed).padStart(2, '0')}-${label}.png`);
      await page?.screenshot({ path: file }).catch(() => undefined);
    }
  }

  say(verdict, text) {
    const seconds = ((Date.now() - this.started) / 1000).toFixed(1).padStart(6);
    process.stdout.write(`${verdict.padEnd(4)} ${seconds} s  ${text}\n`);
  }
}

export class StepFailed extends Error {}
