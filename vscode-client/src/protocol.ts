/** What crosses between client and server beside standard LSP; `server/ascendopt/server/protocol.py` is the twin. */
import { NotificationType, RequestType, RequestType0, type WorkDoneProgressParams, type WorkspaceEdit } from 'vscode-languageclient/node';

/** A server that speaks another version is refused: see `locate.ts`. */
export const PROTOCOL_VERSION = 1;

export interface StatusParams {
  state: 'ready' | 'busy' | 'error';
  message: string;
  device: string;
  version: string;
}

export type SearchMethod = 'tiling' | 'refine' | 'optimize' | 'rewind';

export interface SearchParams {
  uri: string;
  method: SearchMethod;
  budget: number;
  seed: number;
}

/** A motif that a rewind kept; `slowdown` is the time without it / the time with it. */
export interface LearntMotif {
  id: string;
  title: string;
  symptom: string;
  slowdown: number;
}

export interface SearchResult {
  /** Identity of the search: names its trials, and its result when it is applied. */
  search: string;
  method: SearchMethod;
  speedup: number | null;
  speedup_interval: [number, number] | null;
  baseline_us: number | null;
  best_us: number | null;
  attempts: number;
  valid: number;
  modelled: boolean;
  /** Null when nothing faster was found, and always for a rewind: it learns motifs. */
  edit: WorkspaceEdit | null;
  summary: string;
  motifs: LearntMotif[];
  /** The folder of the bank that the motifs are in; empty for other methods. */
  bank: string;
}

export type TrialState = 'ok' | 'compile' | 'incorrect' | 'violation' | 'timeout' | 'failed';

export interface TrialParams {
  search: string;
  attempt: number;
  latency_us: number | null;
  best_us: number | null;
  baseline_us: number | null;
  state: TrialState;
  note: string;
}

/** An action's rewrite: the document and version that it was offered for, and which offer it is. */
export interface VerifyParams extends WorkDoneProgressParams {
  uri: string;
  version: number;
  offer: string;
}

/** Whether the running search rests now. It does so between attempts: the answer to a pause comes when it does. */
export interface PausedSearch {
  paused: boolean;
}

/** What came of it; the server has shown the summary as a message. */
export interface VerifyResult {
  applied: boolean;
  summary: string;
}

export const StatusNotification = new NotificationType<StatusParams>('ascendopt/status');
export const TrialNotification = new NotificationType<TrialParams>('ascendopt/trial');
/** `ascendopt/tilingSearch` is the same without `method`. */
export const SearchRequest = new RequestType<SearchParams, SearchResult, void>('ascendopt/search');
export const PauseSearchRequest = new RequestType0<PausedSearch, void>('ascendopt/pauseSearch');
export const ResumeSearchRequest = new RequestType0<PausedSearch, void>('ascendopt/resumeSearch');
export const VerifyRequest = new RequestType<VerifyParams, VerifyResult, void>('ascendopt/verify');

/** Command of the server that applies the result of a finished search; argument: its identity. */
export const APPLY_SEARCH_RESULT = 'ascendopt.applySearchResult';

/** Command of an action that verifies a rewrite; arguments: those of `VerifyParams`. The client registers it itself. */
export const VERIFY_AND_APPLY = 'ascendopt.verifyAndApply';

/** Commands without arguments that pause and resume the running search. The client registers them itself. */
export const PAUSE_SEARCH = 'ascendopt.pauseSearch';
export const RESUME_SEARCH = 'ascendopt.resumeSearch';
