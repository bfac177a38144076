/** Draws one search: its curve, its figures, the attempts and what can be done with the result. */
import type { TrialParams, TrialState } from '../protocol';
import type { Action, FromView, Summary, ToView } from '../viewMessages';
import { Curve } from './curve';
import './search.css';

declare function acquireVsCodeApi(): { postMessage(message: FromView): void };

const OUTCOMES: Record<TrialState, string> = {
  ok: '',
  compile: 'does not compile: ',
  incorrect: 'incorrect: ',
  violation: 'not legal: ',
  timeout: 'timed out: ',
  failed: 'failed: ',
};

const vscode = acquireVsCodeApi();
const curve = new Curve(element('chart'));

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) {
    throw new Error(`no element ${id}`);
  }
  return found;
}

function child(tag: string, text: string, className = ''): HTMLElement {
  const created = document.createElement(tag);
  created.textContent = text;
  created.className = className;
  return created;
}

function microseconds(value: number | null): string {
  return value === null ? '–' : `${value.toFixed(2)} µs`;
}

function figures(summary: Summary | null, state: ToView): [string, string][] {
  const spent: [string, string] = ['Attempts', `${state.trials.length} of ${state.budget}`];
  if (summary === null) {
    const last = state.trials.at(-1);
    const device: [string, string][] = state.device === '' ? [] : [['Device', state.device]];
    return last === undefined
      ? device
      : [['Baseline', microseconds(last.baseline_us)], ['Best', microseconds(last.best_us)], spent, ...device];
  }
  if (state.method === 'rewind') {
    return [
      ['Operator as it is', microseconds(summary.baseline_us)],
      ['Removals tried', String(summary.attempts)],
      ['Motifs kept', String(summary.motifs.length)],
      ['Bank', summary.bank],
      ['Times are', times(summary)],
    ];
  }
  const interval = summary.speedup_interval;
  const range = interval === null ? '' : ` (95 % interval ${interval[0].toFixed(3)} to ${interval[1].toFixed(3)})`;
  return [
    ['Baseline', microseconds(summary.baseline_us)],
    ['Best', microseconds(summary.best_us)],
    ['Speed-up', summary.speedup === null ? 'none beyond the noise' : `${summary.speedup.toFixed(3)}×${range}`],
    ['Attempts', `${summary.attempts}, ${summary.valid} of them valid`],
    ['Times are', times(summary)],
  ];
}

function times(summary: Summary): string {
  return summary.modelled ? 'modelled (no NPU was used)' : 'measured';
}

/** What a rewind learnt. */
function motifs(summary: Summary | null): HTMLElement[] {
  return (summary?.motifs ?? []).map((motif) => {
    const row = child('tr', '');
    row.append(child('td', motif.title), child('td', motif.symptom), child('td', `${motif.slowdown.toFixed(2)}×`, 'number'));
    return row;
  });
}

/** Newest first, so that a running search moves where one looks; the first that reached the best time is marked. */
function rows(trials: readonly TrialParams[]): HTMLElement[] {
  const best = trials.at(-1)?.best_us ?? null;
  const winner = best === null ? undefined : trials.find((trial) => trial.latency_us === best);
  return trials.toReversed().map((trial) => {
    const row = child('tr', '', trial.latency_us === null ? 'failed' : trial === winner ? 'best' : '');
    row.append(child('td', String(trial.attempt), 'number'), child('td', microseconds(trial.latency_us), 'number'), change(trial));
    return row;
  });
}

/** What an attempt changed. One that builds on others shows its own step; the whole of it is in the tooltip. */
function change(trial: TrialParams): HTMLElement {
  const steps = trial.latency_us === null ? [trial.note] : trial.note.split('; ');
  const own = steps.at(-1) ?? '';
  const cell = child('td', OUTCOMES[trial.state] + own);
  if (steps.length > 1) {
    cell.append(child('span', ` after ${steps.length - 1} other${steps.length === 2 ? '' : 's'}`, 'base'));
    cell.title = steps.join('\n');
  }
  return cell;
}

function render(state: ToView): void {
  element('operator').textContent = state.operator;
  element('message').textContent = state.message;
  element('figures').replaceChildren(
    ...figures(state.summary, state).flatMap(([name, value]) => [child('dt', name), child('dd', value)]),
  );
  element('trials').replaceChildren(...rows(state.trials));
  element('motifs').replaceChildren(...motifs(state.summary));
  element('learnt').hidden = (state.summary?.motifs.length ?? 0) === 0;
  const offered = state.phase === 'done' && state.summary?.applicable === true;
  element('apply').hidden = !offered;
  element('diff').hidden = !offered;
  element('pause').hidden = state.phase !== 'running';
  element('resume').hidden = state.phase !== 'paused';
  element('cancel').hidden = state.phase !== 'running' && state.phase !== 'paused';
  curve.draw(state.trials, state.budget);
  document.body.dataset['state'] = state.phase;
  document.body.dataset['trials'] = String(state.trials.length);
}

for (const kind of ['apply', 'diff', 'pause', 'resume', 'cancel'] satisfies Action[]) {
  element(kind).addEventListener('click', () => vscode.postMessage({ kind }));
}
window.addEventListener('message', (event: MessageEvent<ToView>) => render(event.data));
vscode.postMessage({ kind: 'ready' });
