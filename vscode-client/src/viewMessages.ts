/** Messages between the extension and the search view. */
import type { SearchMethod, SearchResult, TrialParams } from './protocol';

export type Phase = 'idle' | 'running' | 'paused' | 'done' | 'failed' | 'cancelled' | 'applied';

export type Summary = Omit<SearchResult, 'edit' | 'summary' | 'search' | 'method'> & { applicable: boolean };

export interface ToView {
  phase: Phase;
  method: SearchMethod;
  operator: string;
  /** Where the candidates run, and whether their times are modelled. */
  device: string;
  budget: number;
  message: string;
  trials: TrialParams[];
  summary: Summary | null;
}

/** What the buttons are for. */
export type Action = 'apply' | 'diff' | 'pause' | 'resume' | 'cancel';

export type FromView = { kind: 'ready' } | { kind: Action };
