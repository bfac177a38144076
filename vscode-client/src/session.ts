/** The life of the server process: start, stop, and restarts one after the other. */
import { EventEmitter, window, workspace, type Disposable, type Event, type ExtensionContext } from 'vscode';
import {
  LanguageClient,
  RevealOutputChannelOn,
  State,
  TransportKind,
  type LanguageClientOptions,
  type ServerOptions,
} from 'vscode-languageclient/node';
import type { Logs } from './features/logs';
import type { StatusItem } from './features/status';
import { locateServer, serverEnvironment, ServerNotFound, type ServerLaunch } from './locate';
import { COMMANDS } from './methods';
import { PAUSE_SEARCH, RESUME_SEARCH, StatusNotification, VERIFY_AND_APPLY } from './protocol';
import { SELECTOR, WATCHED_FILES } from './selector';
import { launchSettings, serverSettings } from './settings';

export class ServerSession implements Disposable {
  private current: LanguageClient | undefined;
  private found: ServerLaunch | undefined;
  private device = '';
  private running: Promise<void> | undefined;
  private queued: Promise<void> | undefined;
  private readonly started = new EventEmitter<LanguageClient>();
  private readonly watcher = workspace.createFileSystemWatcher(WATCHED_FILES);

  /** Fires with each new client before it starts, so that features can listen on it. */
  readonly onWillStart: Event<LanguageClient> = this.started.event;

  constructor(
    private readonly context: ExtensionContext,
    private readonly logs: Logs,
    private readonly status: StatusItem,
  ) {}

  get client(): LanguageClient | undefined {
    return this.current?.state === State.Running ? this.current : undefined;
  }

  get launch(): ServerLaunch | undefined {
    return this.found;
  }

  /** The device that the server works with, and whether its times are modelled, in words. */
  get deviceName(): string {
    return this.device;
  }

  /** Restarts run one at a time, and any number of requests during one make a single further restart. */
  restart(): Promise<void> {
    if (this.running === undefined) {
      this.running = this.restartNow().finally(() => {
        this.running = undefined;
      });
      return this.running;
    }
    this.queued ??= this.running.then(() => {
      this.queued = undefined;
      return this.restart();
    });
    return this.queued;
  }

  /** Restarts only when the settings now lead to another server. */
  async restartIfMoved(): Promise<void> {
    const next = await this.locate().catch(() => undefined);
    if (next === undefined || JSON.stringify(next) !== JSON.stringify(this.found)) {
      await this.restart();
    }
  }

  async stop(): Promise<void> {
    const client = this.current;
    this.current = undefined;
    // A client whose start failed has nothing to stop and throws; the next one must start all the same.
    await client?.dispose().catch((error: unknown) => this.logs.extension.warn(`stopping the server: ${String(error)}`));
  }

  dispose(): void {
    this.watcher.dispose();
    this.started.dispose();
  }

  private locate(): Promise<ServerLaunch> {
    return locateServer({
      settings: launchSettings(),
      trusted: workspace.isTrusted,
      folders: (workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath),
      log: (message) => this.logs.extension.info(message),
    });
  }

  private async restartNow(): Promise<void> {
    this.status.starting();
    try {
      await this.stop();
      const launch = await this.locate();
      this.found = launch;
      this.logs.extension.info(`server ${launch.version} from ${launch.source}: ${[launch.command, ...launch.args].join(' ')}`);
      const client = this.createClient(launch);
      this.current = client;
      this.started.fire(client);
      await client.start();
    } catch (error) {
      this.found = undefined;
      const reason = error instanceof Error ? error.message : String(error);
      this.logs.extension.error(reason);
      this.status.failed(reason);
      this.explain(error instanceof ServerNotFound ? reason : `The AscendOptimizer server does not start: ${reason}`);
    }
  }

  /** Not awaited: a message that nobody answers must not block the queue of restarts. */
  private explain(message: string): void {
    void window.showErrorMessage(message, 'Show Logs').then((choice) => {
      if (choice !== undefined) {
        this.logs.extension.show();
      }
    });
  }

  private createClient(launch: ServerLaunch): LanguageClient {
    const serverOptions: ServerOptions = {
      command: launch.command,
      args: launch.args,
      transport: TransportKind.stdio,
      options: { env: serverEnvironment(), cwd: this.context.extensionPath },
    };
    const clientOptions: LanguageClientOptions = {
      documentSelector: SELECTOR,
      diagnosticCollectionName: 'ascendopt',
      outputChannel: this.logs.server,
      traceOutputChannel: this.logs.trace,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      synchronize: { fileEvents: this.watcher },
      initializationOptions: {
        trusted: workspace.isTrusted,
        // Commands that the extension registers itself; the server would register them a second time.
        clientCommands: [...Object.values(COMMANDS), VERIFY_AND_APPLY, PAUSE_SEARCH, RESUME_SEARCH],
        settings: serverSettings(),
      },
    };
    const client = new LanguageClient('ascendopt', 'AscendOptimizer', serverOptions, clientOptions);
    client.onNotification(StatusNotification, (params) => {
      this.device = params.device;
      this.status.update(params);
    });
    client.onDidChangeState((event) => {
      if (event.newState === State.Stopped && client === this.current) {
        this.status.stopped();
      }
    });
    return client;
  }
}
