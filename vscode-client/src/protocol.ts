/** What crosses between client and server beside standard LSP; `server/ascendopt/server/protocol.py` is the twin. */
import { NotificationType, RequestType, type WorkspaceEdit } from 'vscode-languageclient/node';

/** A server that speaks another version is refused: see `locate.ts`. */
export const PROTOCOL_VERSION = 1;

export interface StatusParams {
  state: 'ready' | 'busy' | 'error';
  message: string;
  device: string;
  version: string;
}

export interface TilingSearchParams {
  uri: string;
  budget: number;
  seed: number;
}

export interface TilingSearchResult {
  /** Identity of the search: names its trials, and its result when it is applied. */
  search: string;
  speedup: number | null;
  speedup_interval: [number, number] | null;
  baseline_us: number | null;
  best_us: number | null;
  attempts: number;
  valid: number;
  modelled: boolean;
  edit: WorkspaceEdit | null;
  summary: string;
}

export type TrialState = 'ok' | 'compile' | 'incorrect' | 'violation' | 'timeout';

export interface TrialParams {
  search: string;
  attempt: number;
  latency_us: number | null;
  best_us: number | null;
  baseline_us: number | null;
  state: TrialState;
  note: string;
}

export const StatusNotification = new NotificationType<StatusParams>('ascendopt/status');
export const TrialNotification = new NotificationType<TrialParams>('ascendopt/trial');
export const TilingSearchRequest = new RequestType<TilingSearchParams, TilingSearchResult, void>('ascendopt/tilingSearch');

/** Command of the server that applies the result of a finished search; argument: its identity. */
export const APPLY_SEARCH_RESULT = 'ascendopt.applySearchResult';
