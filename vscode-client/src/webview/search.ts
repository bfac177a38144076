/** Draws one search: a dot for each attempt that ran, the best so far as a step line, the baseline dashed. */
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { FromView, Summary, ToView } from '../viewMessages';
import './search.css';

declare function acquireVsCodeApi(): { postMessage(message: FromView): void };

const HEIGHT = 260;
const vscode = acquireVsCodeApi();
let chart: uPlot | undefined;

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) {
    throw new Error(`no element ${id}`);
  }
  return found;
}

function color(name: string, fallback: string): string {
  const value = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return value === '' ? fallback : value;
}

function createChart(host: HTMLElement): uPlot {
  const foreground = color('--vscode-foreground', '#888');
  const grid = { stroke: color('--vscode-editorWidget-border', 'rgba(128,128,128,0.3)'), width: 1 };
  const axis = { stroke: foreground, grid, ticks: grid };
  const paths = uPlot.paths.stepped?.({ align: 1 });
  return new uPlot(
    {
      width: Math.max(host.clientWidth, 240),
      height: HEIGHT,
      scales: { x: { time: false } },
      axes: [
        { ...axis, label: 'attempt' },
        { ...axis, label: 'latency (µs)', size: 64 },
      ],
      series: [
        { label: 'attempt' },
        { label: 'tried', stroke: color('--vscode-charts-blue', '#3794ff'), paths: () => null, points: { show: true, size: 6 } },
        { label: 'best', stroke: color('--vscode-charts-green', '#89d185'), width: 2, points: { show: false }, ...(paths && { paths }) },
        { label: 'baseline', stroke: color('--vscode-charts-orange', '#d18616'), dash: [6, 4], points: { show: false } },
      ],
    },
    [[], [], [], []],
    host,
  );
}

function draw(state: ToView): void {
  const baseline = state.trials.find((trial) => trial.baseline_us !== null)?.baseline_us ?? null;
  const attempts = state.trials.map((trial) => trial.attempt);
  chart ??= createChart(element('chart'));
  chart.setData([
    attempts,
    state.trials.map((trial) => trial.latency_us),
    state.trials.map((trial) => trial.best_us),
    state.trials.map(() => baseline),
  ]);
}

function microseconds(value: number | null): string {
  return value === null ? '–' : `${value.toFixed(2)} µs`;
}

function figures(summary: Summary | null, state: ToView): [string, string][] {
  if (summary === null) {
    return state.phase === 'running' ? [['Attempts', `${state.trials.length} of ${state.budget}`]] : [];
  }
  const interval = summary.speedup_interval;
  const range = interval === null ? '' : ` (${interval[0].toFixed(3)} to ${interval[1].toFixed(3)})`;
  return [
    ['Baseline', microseconds(summary.baseline_us)],
    ['Best', microseconds(summary.best_us)],
    ['Speed-up', summary.speedup === null ? '–' : `${summary.speedup.toFixed(3)}×${range}`],
    ['Attempts', `${summary.attempts}, ${summary.valid} of them valid`],
    ['Times are', summary.modelled ? 'modelled (no NPU was used)' : 'measured'],
  ];
}

function render(state: ToView): void {
  element('target').textContent = state.target;
  element('message').textContent = state.message;
  const list = element('figures');
  list.replaceChildren();
  for (const [name, value] of figures(state.summary, state)) {
    const term = document.createElement('dt');
    term.textContent = name;
    const detail = document.createElement('dd');
    detail.textContent = value;
    list.append(term, detail);
  }
  const offered = state.phase === 'done' && state.summary?.applicable === true;
  element('apply').hidden = !offered;
  element('diff').hidden = !offered;
  element('cancel').hidden = state.phase !== 'running';
  draw(state);
  document.body.dataset['state'] = state.phase;
  document.body.dataset['trials'] = String(state.trials.length);
}

for (const kind of ['apply', 'diff', 'cancel'] as const) {
  element(kind).addEventListener('click', () => vscode.postMessage({ kind }));
}
window.addEventListener('message', (event: MessageEvent<ToView>) => render(event.data));
window.addEventListener('resize', () => chart?.setSize({ width: Math.max(element('chart').clientWidth, 240), height: HEIGHT }));
vscode.postMessage({ kind: 'ready' });
