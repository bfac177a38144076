/** The curve of one search: what was tried, the best so far as a step line, the baseline dashed. */
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { TrialParams } from '../protocol';

const HEIGHT = 260;
const MIN_WIDTH = 240;
/** Tries slower than this many baselines sit on the upper edge with the failed ones: a bad one must not flatten the rest. */
const SLOW = 1.4;

export class Curve {
  private plot: uPlot;
  private trials: readonly TrialParams[] = [];
  private budget = 1;

  constructor(private readonly host: HTMLElement) {
    this.plot = this.create();
    new ResizeObserver(() => this.plot.setSize({ width: this.width, height: HEIGHT })).observe(host);
    // Colours are drawn into the canvas: a change of the theme needs a new one.
    new MutationObserver(() => this.restyle()).observe(document.body, { attributeFilter: ['class'] });
  }

  draw(trials: readonly TrialParams[], budget: number): void {
    this.trials = trials;
    this.budget = budget;
    const edge = this.range[1];
    const baseline = this.baseline;
    this.plot.setData([
      trials.map((trial) => trial.attempt),
      trials.map((trial) => trial.latency_us && Math.min(trial.latency_us, edge)),
      trials.map((trial) => (trial.latency_us === null ? edge : null)),
      trials.map((trial) => trial.best_us),
      trials.map(() => baseline),
    ]);
  }

  private get width(): number {
    return Math.max(this.host.clientWidth, MIN_WIDTH);
  }

  private get baseline(): number | null {
    return this.trials.find((trial) => trial.baseline_us !== null)?.baseline_us ?? null;
  }

  /** Lowest and highest latency that is drawn to scale. */
  private get range(): [number, number] {
    const baseline = this.baseline ?? 1;
    const best = this.trials.at(-1)?.best_us ?? baseline;
    return [0.85 * Math.min(best, baseline), SLOW * baseline];
  }

  private restyle(): void {
    this.plot.destroy();
    this.plot = this.create();
    this.draw(this.trials, this.budget);
  }

  private create(): uPlot {
    const grid = { stroke: '#8883', width: 1 };
    const axis = { stroke: color('--vscode-foreground', '#888'), grid, ticks: grid, labelFont: font('600 12px'), font: font('12px') };
    const tried = color('--vscode-charts-blue', '#3794ff');
    const failed = color('--vscode-charts-red', '#f14c4c');
    const dots = { paths: () => null };
    const steps = uPlot.paths.stepped?.({ align: 1 });
    return new uPlot(
      {
        width: this.width,
        height: HEIGHT,
        cursor: { show: false },
        legend: { live: false },
        scales: {
          x: { time: false, range: () => [0, Math.max(this.budget, this.trials.length) + 1] },
          y: {
            range: () => {
              const [low, high] = this.range;
              return [low, high + 0.03 * (high - low)];
            },
          },
        },
        axes: [
          { ...axis, label: 'attempt', incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000] },
          { ...axis, label: 'latency (µs)', size: 60 },
        ],
        series: [
          {},
          { label: 'tried (slowest at the top)', stroke: tried, ...dots, points: { show: true, size: 7, fill: tried } },
          { label: 'failed', stroke: failed, ...dots, points: { show: true, size: 7, fill: failed } },
          { label: 'best so far', stroke: color('--vscode-charts-green', '#89d185'), width: 2, points: { show: false }, ...(steps && { paths: steps }) },
          { label: 'baseline', stroke: color('--vscode-charts-purple', '#b180d7'), dash: [6, 4], points: { show: false } },
        ],
      },
      [[], [], [], [], []],
      this.host,
    );
  }
}

function color(name: string, fallback: string): string {
  const value = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return value === '' ? fallback : value;
}

function font(style: string): string {
  return `${style} ${getComputedStyle(document.body).fontFamily}`;
}
