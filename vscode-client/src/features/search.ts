/** The searches of the palette: one at a time, cancellable, shown live; the result is offered as an edit, or as motifs. */
import {
  CancellationTokenSource,
  commands,
  ProgressLocation,
  Uri,
  ViewColumn,
  window,
  workspace,
  type CancellationToken,
  type Disposable,
  type ExtensionContext,
  type Progress,
  type TextEditor,
  type WorkspaceEdit,
} from 'vscode';
import { ExecuteCommandRequest, LSPErrorCodes, ResponseError, type LanguageClient } from 'vscode-languageclient/node';
import { COMMANDS, METHODS, TITLES } from '../methods';
import {
  APPLY_SEARCH_RESULT,
  PAUSE_SEARCH,
  PauseSearchRequest,
  RESUME_SEARCH,
  ResumeSearchRequest,
  SearchRequest,
  TrialNotification,
  type SearchMethod,
  type SearchResult,
} from '../protocol';
import type { ServerSession } from '../session';
import { searchSettings } from '../settings';
import type { Logs } from './logs';
import { ResultDiff } from './resultDiff';
import { SearchView } from './searchView';

const SHOW = 'Show Result';

export class Search implements Disposable {
  private readonly disposables: Disposable[];
  private readonly view: SearchView;
  private readonly diff = new ResultDiff();
  private lastEditor: TextEditor | undefined = window.activeTextEditor;
  private cancellation: CancellationTokenSource | undefined;
  private result: SearchResult | undefined;
  private report: Progress<{ message?: string; increment?: number }> | undefined;
  private budget = 0;

  constructor(
    context: ExtensionContext,
    private readonly session: ServerSession,
    private readonly logs: Logs,
  ) {
    this.view = new SearchView(context, {
      apply: () => this.apply(),
      diff: () => this.showDiff(),
      pause: () => this.pause(),
      resume: () => this.resume(),
      cancel: () => this.cancellation?.cancel(),
    });
    this.disposables = [
      this.view,
      this.diff,
      ...METHODS.map((method) => commands.registerCommand(COMMANDS[method], (target?: Uri | string) => this.start(method, target))),
      commands.registerCommand(PAUSE_SEARCH, () => this.pause()),
      commands.registerCommand(RESUME_SEARCH, () => this.resume()),
      commands.registerCommand('ascendopt.showSearch', () => this.view.show()),
      // With the search view focused there is no active text editor: remember the last one.
      window.onDidChangeActiveTextEditor((editor) => {
        if (editor?.document.uri.scheme === 'file') {
          this.lastEditor = editor;
        }
      }),
      session.onWillStart((client) => this.listen(client)),
    ];
  }

  dispose(): void {
    this.cancellation?.cancel();
    for (const item of this.disposables) {
      item.dispose();
    }
  }

  private listen(client: LanguageClient): void {
    client.onNotification(TrialNotification, (trial) => {
      this.view.addTrial(trial);
      const best = trial.best_us === null ? '' : `, best ${trial.best_us.toFixed(1)} µs`;
      this.report?.report({ message: `attempt ${trial.attempt} of ${this.budget}${best}`, increment: 100 / this.budget });
    });
  }

  private async start(method: SearchMethod, target?: Uri | string): Promise<void> {
    const uri = typeof target === 'string' ? Uri.parse(target) : (target ?? this.lastEditor?.document.uri);
    if (uri === undefined) {
      void window.showInformationMessage('Open a file of an AscendC operator first: the search works on that operator.');
      return;
    }
    if (!workspace.isTrusted) {
      void window.showInformationMessage(`${TITLES[method]} runs code of the workspace: trust the workspace first.`);
      return;
    }
    const client = this.session.client;
    if (client === undefined) {
      void window.showErrorMessage('The AscendOptimizer server is not running. Run "AscendOptimizer: Restart Server".');
      return;
    }
    if (this.cancellation !== undefined) {
      this.view.show();
      void window.showInformationMessage('A search is already running.');
      return;
    }
    await this.run(client, method, uri);
  }

  private async run(client: LanguageClient, method: SearchMethod, uri: Uri): Promise<void> {
    const { budget, seed } = searchSettings(method);
    const cancellation = new CancellationTokenSource();
    this.cancellation = cancellation;
    this.result = undefined;
    this.budget = budget;
    this.view.begin(method, operatorName(uri), this.session.deviceName, budget);
    try {
      const result = await window.withProgress(
        { location: ProgressLocation.Notification, title: TITLES[method], cancellable: true },
        (progress, token: CancellationToken) => {
          this.report = progress;
          token.onCancellationRequested(() => cancellation.cancel());
          return client.sendRequest(SearchRequest, { uri: uri.toString(), method, budget, seed }, cancellation.token);
        },
      );
      this.result = result;
      this.view.finish(result);
      this.announce(result);
    } catch (error) {
      this.fail(method, error, cancellation.token.isCancellationRequested);
    } finally {
      this.report = undefined;
      this.cancellation = undefined;
      cancellation.dispose();
    }
  }

  /** The search rests when the attempt in work has ended; asked to resume before that, it just goes on. */
  private async pause(): Promise<void> {
    const client = this.session.client;
    const { cancellation } = this;
    if (client === undefined || cancellation === undefined) {
      void window.showInformationMessage('No search is running.');
      return;
    }
    this.view.pausing();
    try {
      const { paused } = await client.sendRequest(PauseSearchRequest);
      // It may have ended meanwhile.
      if (paused && this.cancellation === cancellation) {
        this.view.paused();
        this.report?.report({ message: 'paused' });
      }
    } catch (error) {
      this.refused('The search does not pause', error);
    }
  }

  private async resume(): Promise<void> {
    const client = this.session.client;
    if (client === undefined || this.cancellation === undefined) {
      void window.showInformationMessage('No search is running.');
      return;
    }
    try {
      await client.sendRequest(ResumeSearchRequest);
      this.view.resumed();
    } catch (error) {
      this.refused('The search does not go on', error);
    }
  }

  private refused(what: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.logs.extension.error(`${what}: ${reason}`);
    void window.showErrorMessage(`${what}: ${reason}`);
  }

  private fail(method: SearchMethod, error: unknown, cancelled: boolean): void {
    const code = error instanceof ResponseError ? error.code : undefined;
    if (cancelled || code === LSPErrorCodes.RequestCancelled || code === LSPErrorCodes.ServerCancelled) {
      this.view.cancelled();
      return;
    }
    const reason = error instanceof Error ? error.message : String(error);
    this.logs.extension.error(`${TITLES[method]}: ${reason}`);
    this.view.failed(reason);
    void window.showErrorMessage(`${TITLES[method]}: ${reason}`);
  }

  /** Tells a user who looks elsewhere. Not awaited: the answer may come much later, or never. */
  private announce(result: SearchResult): void {
    if (!this.view.visible) {
      void window.showInformationMessage(result.summary, SHOW).then((choice) => {
        if (choice === SHOW) {
          this.view.show();
        }
      });
    }
  }

  private async apply(): Promise<void> {
    const client = this.session.client;
    const result = this.result;
    if (client === undefined || !result?.edit) {
      return;
    }
    // Taken before the request: a second click must not apply it twice.
    this.result = undefined;
    try {
      const edit = await client.protocol2CodeConverter.asWorkspaceEdit(result.edit);
      await client.sendRequest(ExecuteCommandRequest.type, { command: APPLY_SEARCH_RESULT, arguments: [result.search] });
      this.view.applied();
      await this.reveal(edit);
    } catch (error) {
      this.result = result;
      const reason = error instanceof Error ? error.message : String(error);
      this.logs.extension.error(`applying the result: ${reason}`);
      void window.showErrorMessage(reason);
    }
  }

  /** Opens what was changed, at its first change, beside the search view: there it can be read, saved and undone. */
  private async reveal(edit: WorkspaceEdit): Promise<void> {
    const viewColumn = this.lastEditor?.viewColumn ?? ViewColumn.One;
    // The first one last: it is the one that stays in front.
    for (const [uri, edits] of edit.entries().toReversed()) {
      const [first] = edits;
      await window.showTextDocument(uri, { viewColumn, preview: false, ...(first && { selection: first.range }) });
    }
  }

  private async showDiff(): Promise<void> {
    const client = this.session.client;
    if (client !== undefined && this.result?.edit) {
      const edit = await client.protocol2CodeConverter.asWorkspaceEdit(this.result.edit);
      await this.diff.show(this.result.method, this.result.search, edit);
    }
  }
}

/** The operator's folder, the parent of `op_host` or `op_kernel`; a file of its own has its own name. */
function operatorName(uri: Uri): string {
  const parts = uri.path.split('/');
  const side = parts.findLastIndex((part) => part === 'op_host' || part === 'op_kernel');
  return parts.at(side > 0 ? side - 1 : -1) ?? '';
}
