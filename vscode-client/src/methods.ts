/** The searches: their commands, and what they are called at the start of a sentence. */
import type { SearchMethod } from './protocol';

export const COMMANDS: Record<SearchMethod, string> = {
  tiling: 'ascendopt.tilingSearch',
  refine: 'ascendopt.refineKernel',
  optimize: 'ascendopt.optimizeOperator',
  rewind: 'ascendopt.rewindOperator',
};

export const TITLES: Record<SearchMethod, string> = {
  tiling: 'Tiling search',
  refine: 'Kernel refinement',
  optimize: 'Optimisation',
  rewind: 'Rewind',
};

export const METHODS = Object.keys(COMMANDS) as SearchMethod[];
