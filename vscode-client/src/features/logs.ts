/** Output channels: the extension's, the server's, and the trace of messages. */
import { commands, window, type Disposable, type LogOutputChannel } from 'vscode';

export class Logs implements Disposable {
  readonly extension: LogOutputChannel = window.createOutputChannel('AscendOptimizer', { log: true });
  readonly server: LogOutputChannel = window.createOutputChannel('AscendOptimizer Server', { log: true });
  private traceChannel: LogOutputChannel | undefined;

  /** Made when first needed: most users never trace. */
  get trace(): LogOutputChannel {
    this.traceChannel ??= window.createOutputChannel('AscendOptimizer Trace', { log: true });
    return this.traceChannel;
  }

  dispose(): void {
    this.extension.dispose();
    this.server.dispose();
    this.traceChannel?.dispose();
  }
}

export function registerLogCommands(logs: Logs): Disposable[] {
  return [
    commands.registerCommand('ascendopt.showLogs', () => logs.extension.show()),
    commands.registerCommand('ascendopt.showServerLogs', () => logs.server.show()),
  ];
}
