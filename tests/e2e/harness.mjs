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
  artifacts: path.join(root, '.e2e/artifacts'),
  data: path.join(root, '.e2e/data'),
  workspace: path.join(root, '.e2e/workspace/scaled_add'),
};

/** A copy of the sample with one fault in it: a tensor is freed twice. */
export async function prepareWorkspace() {
  await rm(path.dirname(folders.workspace), { recursive: true, force: true });
  await rm(folders.artifacts, { recursive: true, force: true });
  await mkdir(folders.artifacts, { recursive: true });
  await cp(path.join(root, 'samples/scaled_add'), folders.workspace, { recursive: true });
  const kernel = path.join(folders.workspace, 'op_kernel/scaled_add.cpp');
  const text = await readFile(kernel, 'utf8');
  const free = '        yQueue.FreeTensor(y);\n';
  if (text.split(free).length !== 2) {
    throw new Error(`the sample ${kernel} has changed: the fault can't be put in`);
  }
  await writeFile(kernel, text.replace(free, free + free));
  // 1-based line of the second of the two.
  const faultLine = text.slice(0, text.indexOf(free)).split('\n').length + 1;
  return { kernel, host: path.join(folders.workspace, 'op_host/scaled_add.cpp'), faultLine };
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
  await mkdir(path.join(folders.data, 'User'), { recursive: true });
  const settings = {
    'ascendopt.interpreter': path.join(root, '.venv/bin/python'),
    'ascendopt.search.budget': budget,
    'ascendopt.search.seed': 1,
    'chat.disableAIFeatures': true,
    'editor.minimap.enabled': false,
    'extensions.autoCheckUpdates': false,
    'extensions.autoUpdate': false,
    'files.autoSave': 'off',
    'telemetry.telemetryLevel': 'off',
    'workbench.startupEditor': 'none',
    'workbench.tips.enabled': false,
  };
  await writeFile(path.join(folders.data, 'User/settings.json'), JSON.stringify(settings, null, 2));
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
      '--disable-telemetry', '--disable-update-check', '--disable-workspace-trust', '--disable-getting-started-override',
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
    args: ['--no-sandbox', '--disable-gpu'],
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
      last = error.message;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`not within ${timeout / 1000} s: ${what}${last === '' ? '' : ` (${last.split('\n')[0]})`}`);
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
      this.say('FAIL', `${name}: ${error.message}`);
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
