/** The search view: a webview with a live curve. All state lives here; the webview only draws it. */
import { randomBytes } from 'node:crypto';
import { Uri, ViewColumn, window, type Disposable, type ExtensionContext, type WebviewPanel } from 'vscode';
import { TITLES } from '../methods';
import type { SearchMethod, SearchResult, TrialParams } from '../protocol';
import type { Action, FromView, Phase, Summary, ToView } from '../viewMessages';

/** Trials come faster than anyone looks: the view is redrawn at most this often. */
const REDRAW_MS = 50;

export type SearchViewActions = Record<Action, () => Promise<void> | void>;

export class SearchView implements Disposable {
  private panel: WebviewPanel | undefined;
  private ready = false;
  private timer: NodeJS.Timeout | undefined;
  private phase: Phase = 'idle';
  private method: SearchMethod = 'tiling';
  private operator = 'No search yet';
  private device = '';
  private budget = 0;
  private message = 'Run a search of AscendOptimizer from the palette with a file of an operator open.';
  private trials: TrialParams[] = [];
  private summary: Summary | undefined;

  constructor(
    private readonly context: ExtensionContext,
    private readonly actions: SearchViewActions,
  ) {}

  /** True when the user sees it. */
  get visible(): boolean {
    return this.panel?.visible === true;
  }

  begin(method: SearchMethod, operator: string, device: string, budget: number): void {
    this.phase = 'running';
    this.method = method;
    this.operator = operator;
    this.device = device;
    this.budget = budget;
    this.message = 'building the operator and measuring the baseline';
    this.trials = [];
    this.summary = undefined;
    this.show();
    this.redraw();
  }

  addTrial(trial: TrialParams): void {
    if (this.phase === 'running') {
      this.trials.push(trial);
      this.message = trial.note;
      this.redraw();
    }
  }

  /** The attempt in work still comes. */
  pausing(): void {
    this.message = 'pausing after the attempt in work';
    this.redraw();
  }

  paused(): void {
    this.enter('paused', 'paused: resume goes on where it rests');
  }

  resumed(): void {
    this.enter('running', 'going on');
  }

  finish(result: SearchResult): void {
    const { edit, summary, search: _search, method: _method, ...figures } = result;
    this.summary = { ...figures, applicable: edit !== null };
    this.enter('done', summary);
  }

  cancelled(): void {
    this.enter('cancelled', 'cancelled: nothing was changed');
  }

  failed(reason: string): void {
    this.enter('failed', reason);
  }

  applied(): void {
    this.enter('applied', 'applied: undo in the editor takes it back, file by file');
  }

  show(): void {
    if (this.panel !== undefined) {
      this.panel.title = this.title;
      this.panel.reveal(undefined, true);
      return;
    }
    const dist = Uri.joinPath(this.context.extensionUri, 'dist');
    const panel = window.createWebviewPanel(
      'ascendopt.search',
      this.title,
      { viewColumn: ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true, localResourceRoots: [dist] },
    );
    this.panel = panel;
    this.ready = false;
    panel.webview.onDidReceiveMessage((message: FromView) => this.receive(message));
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.ready = false;
    });
    panel.webview.html = html(panel, dist);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.panel?.dispose();
  }

  private get title(): string {
    return this.phase === 'idle' ? 'Search' : TITLES[this.method];
  }

  private enter(phase: Phase, message: string): void {
    this.phase = phase;
    this.message = message;
    this.redraw();
  }

  private receive(message: FromView): void {
    if (message.kind === 'ready') {
      this.ready = true;
      this.redraw();
    } else {
      void this.actions[message.kind]();
    }
  }

  private redraw(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      if (this.panel !== undefined && this.ready) {
        void this.panel.webview.postMessage(this.snapshot());
      }
    }, REDRAW_MS);
  }

  private snapshot(): ToView {
    const { phase, method, operator, device, budget, message, trials } = this;
    return { phase, method, operator, device, budget, message, trials, summary: this.summary ?? null };
  }
}

function html(panel: WebviewPanel, dist: Uri): string {
  const nonce = randomBytes(16).toString('base64');
  const script = panel.webview.asWebviewUri(Uri.joinPath(dist, 'search.js')).toString();
  const style = panel.webview.asWebviewUri(Uri.joinPath(dist, 'search.css')).toString();
  // uPlot sets inline styles, hence 'unsafe-inline' for styles only.
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${panel.webview.cspSource} 'unsafe-inline'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${style}">
<title>Search</title>
</head>
<body data-state="idle" data-trials="0">
<header><h1 id="operator"></h1><p id="message" role="status"></p></header>
<div id="chart"></div>
<dl id="figures"></dl>
<div id="actions">
<button id="apply" hidden>Apply to the Files</button>
<button id="diff" class="secondary" hidden>Show Diff</button>
<button id="pause" class="secondary" hidden>Pause</button>
<button id="resume" hidden>Resume</button>
<button id="cancel" class="secondary" hidden>Cancel</button>
</div>
<table id="learnt" hidden>
<thead><tr><th>Kept in the bank</th><th>Symptom</th><th class="number">Slower without</th></tr></thead>
<tbody id="motifs"></tbody>
</table>
<table id="attempts">
<thead><tr><th class="number">#</th><th class="number">Latency</th><th>Change, or why it failed</th></tr></thead>
<tbody id="trials"></tbody>
</table>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>`;
}
