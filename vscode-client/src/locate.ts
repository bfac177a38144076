/** Finding the language server: settings first, then the workspace's own environment, then the PATH. */
import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { PROTOCOL_VERSION } from './protocol';
import type { LaunchSettings } from './settings';

const run = promisify(execFile);
const PROBE_TIMEOUT_MS = 20_000;

/**
 * `-I` shuts out the current folder, PYTHONPATH and the user site: a workspace that holds a folder called
 * `ascendopt` must not become the server.
 */
const MODULE = ['-I', '-m', 'ascendopt.server'];

export interface ServerLaunch {
  command: string;
  args: string[];
  /** Where it was found, in words. */
  source: string;
  version: string;
}

interface Place {
  argv: string[];
  source: string;
  /** The user named it: when it fails, say so instead of trying the next one. */
  explicit: boolean;
}

export class ServerNotFound extends Error {}

export interface LocateOptions {
  settings: LaunchSettings;
  trusted: boolean;
  folders: string[];
  log: (message: string) => void;
}

/** Returns the first server that answers the probe. Throws ServerNotFound with one sentence for the user. */
export async function locateServer(options: LocateOptions): Promise<ServerLaunch> {
  for (const place of await places(options)) {
    try {
      const version = await probe(place.argv);
      const [command = '', ...args] = place.argv;
      return { command, args, source: place.source, version };
    } catch (error) {
      const reason = reasonOf(error, place.argv[0]);
      options.log(`${place.source}: ${reason}`);
      if (place.explicit) {
        throw new ServerNotFound(`The server of ${place.source} does not start: ${lastLine(reason)}`);
      }
    }
  }
  throw new ServerNotFound(
    'No AscendOptimizer server found: install the package "ascendopt" and set "ascendopt.interpreter" to its Python.',
  );
}

/** The environment of the server: the user's, without the variables that redirect Python's imports. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const { PYTHONPATH: _path, PYTHONHOME: _home, PYTHONSTARTUP: _startup, ...rest } = process.env;
  return rest;
}

async function places({ settings, trusted, folders }: LocateOptions): Promise<Place[]> {
  if (settings.command.length > 0) {
    return [{ argv: settings.command, source: 'the setting "ascendopt.server.command"', explicit: true }];
  }
  if (settings.interpreter !== '') {
    return [
      { argv: [settings.interpreter, ...MODULE], source: 'the setting "ascendopt.interpreter"', explicit: true },
    ];
  }
  const found: Place[] = [];
  if (trusted) {
    for (const folder of folders) {
      const python =
        process.platform === 'win32'
          ? path.join(folder, '.venv', 'Scripts', 'python.exe')
          : path.join(folder, '.venv', 'bin', 'python');
      if (await exists(python)) {
        found.push({ argv: [python, ...MODULE], source: `the workspace's environment ${python}`, explicit: false });
      }
    }
  }
  found.push({ argv: ['ascendopt-server'], source: 'ascendopt-server on the PATH', explicit: false });
  return found;
}

async function probe(argv: string[]): Promise<string> {
  const [command = '', ...args] = argv;
  const { stdout } = await run(command, [...args, '--probe'], {
    timeout: PROBE_TIMEOUT_MS,
    env: serverEnvironment(),
    cwd: __dirname,
  });
  const answer: unknown = JSON.parse(stdout);
  if (typeof answer !== 'object' || answer === null || !('protocol' in answer) || !('version' in answer)) {
    throw new Error('it does not answer like an AscendOptimizer server');
  }
  if (answer.protocol !== PROTOCOL_VERSION) {
    throw new Error(
      `server ${String(answer.version)} speaks protocol ${String(answer.protocol)} and this extension ${PROTOCOL_VERSION}; update the older one`,
    );
  }
  return String(answer.version);
}

function reasonOf(error: unknown, command = ''): string {
  if (error instanceof Error) {
    return 'code' in error && error.code === 'ENOENT' ? `there is no program ${command}` : error.message;
  }
  return String(error);
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}

/** The line that says what went wrong: the last one of a Python traceback. */
function lastLine(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines[lines.length - 1]?.trim() ?? text;
}
