import { commands, workspace, type ExtensionContext } from 'vscode';
import { registerDebugInformation } from './features/debugInformation';
import { Logs, registerLogCommands } from './features/logs';
import { Search } from './features/search';
import { StatusItem } from './features/status';
import { registerVerify } from './features/verify';
import { ServerSession } from './session';

/** Settings that decide which program runs; a change of any other one is pulled by the server. */
const LAUNCH_SETTINGS = ['ascendopt.server.command', 'ascendopt.interpreter'];

let session: ServerSession | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  const logs = new Logs();
  const status = new StatusItem();
  const server = new ServerSession(context, logs, status);
  session = server;
  context.subscriptions.push(
    logs,
    status,
    server,
    ...registerLogCommands(logs),
    registerDebugInformation(context, server),
    registerVerify(server, logs),
    new Search(context, server, logs),
    commands.registerCommand('ascendopt.restart', () => server.restart()),
    workspace.onDidChangeConfiguration(async (event) => {
      if (LAUNCH_SETTINGS.some((name) => event.affectsConfiguration(name))) {
        await server.restartIfMoved();
      } else if (event.affectsConfiguration('ascendopt')) {
        await server.client?.sendNotification('workspace/didChangeConfiguration', { settings: null });
      }
    }),
    workspace.onDidGrantWorkspaceTrust(() => server.restart()),
  );
  await server.restart();
}

export async function deactivate(): Promise<void> {
  await session?.stop();
}
