import { createScorer, type Scorer } from '../score/index.ts';
import type { StartTable } from './codecs.ts';
import { START_TABLE } from './start-table.ts';

/** Means of a search: the scorer, and what was learnt of the encoders. */
export interface SearchTools {
  scorer: Scorer;
  table: StartTable;
}

let loaded: Promise<SearchTools> | undefined;

/** Loads the tools of the search, once in a process. */
export function loadSearchTools(): Promise<SearchTools> {
  loaded ??= createScorer().then((scorer) => ({ scorer, table: START_TABLE }));
  return loaded;
}
