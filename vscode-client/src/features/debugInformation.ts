/** `ascendopt.debugInformation`: what a bug report needs, in an editor of its own. */
import { commands, version, window, workspace, type Disposable, type ExtensionContext } from 'vscode';
import type { ServerSession } from '../session';
import { launchSettings, serverSettings } from '../settings';

export function registerDebugInformation(context: ExtensionContext, session: ServerSession): Disposable {
  return commands.registerCommand('ascendopt.debugInformation', async () => {
    const manifest = context.extension.packageJSON as { version: string };
    const information = {
      extension: manifest.version,
      vscode: version,
      platform: `${process.platform} ${process.arch}`,
      trusted: workspace.isTrusted,
      server: session.launch ?? null,
      settings: { ...launchSettings(), ...serverSettings() },
    };
    const content = JSON.stringify(information, null, 2);
    await window.showTextDocument(await workspace.openTextDocument({ language: 'json', content }));
  });
}
