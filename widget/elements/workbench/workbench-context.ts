import type { Item, Optimizer } from '../../state/index.ts';
import type { ComparePair } from '../io-compare/index.ts';
import type { RowContext } from '../io-row/index.ts';
import type { PresetTrials } from './preset-trials.ts';
import type { HostProperties } from './workbench-host.ts';

/** State that the parts of the page are rendered from. */
export interface WorkbenchContext extends HostProperties {
  /** True while the cost is being requested. */
  readonly costLoading: boolean;
  readonly costFailed: boolean;
  readonly dialog: Dialog | null;
  act(action: WorkbenchAction): void;
  /** Images are shown as a grid. */
  readonly grid: boolean;
  /** Images can be selected. */
  readonly selecting: boolean;
  /** Samples with other presets in the comparison. */
  readonly trials: PresetTrials;
  /** Values that rows share. */
  readonly rows: RowContext;
  /** Called after the open dialog was closed. `yes`: it was confirmed. */
  closed(yes: boolean): void;
  /** Asks before an export of the first images; of those with `ids`, if there are any. */
  exportFirst(first: number, ids?: readonly string[]): void;
  /** Saves bytes as a download of the browser. */
  save(blob: Blob, filename: string): void;
  setAnalyzeOptions(options: { [option: string]: unknown }): void;
}

/** Open dialog. `first`: number of images of a partial export; `ids`: only these images, else all. */
export type Dialog =
  | { name: 'export'; first?: number; ids?: readonly string[] }
  | { name: 'clear'; ids?: readonly string[] }
  | { name: 'settings' }
  | { name: 'texts' }
  | { name: 'review'; ids: readonly string[]; start: string | null }
  | { name: 'take-away' }
  | { name: 'compare'; pairs: readonly ComparePair[]; index: number };

/** Actions of the page's buttons. */
export type WorkbenchAction =
  | 'accept-selected'
  | 'analyze'
  | 'analyze-selected'
  | 'cancel'
  | 'check-cost'
  | 'compare-samples'
  | 'confirm-clear'
  | 'confirm-export'
  | 'confirm-export-selected'
  | 'confirm-remove-selected'
  | 'download-all'
  | 'download-missing'
  | 'edit-selected'
  | 'pause'
  | 'redo'
  | 'renew'
  | 'replace-all'
  | 'resume'
  | 'retry'
  | 'review'
  | 'review-selected'
  | 'sample'
  | 'select-all'
  | 'settings'
  | 'skip-list'
  | 'take-away'
  | 'toggle-grid'
  | 'toggle-selecting'
  | 'undo'
  | 'upload';

/** Tests whether a run is in progress, which prevents other runs. */
export function isRunning({ state }: Optimizer): boolean {
  return ['analyzing', 'sampling', 'exporting'].includes(state);
}

/** Tests whether nothing is left to upload or to export, and there are results: the bar then offers them. */
export function isDone({ state, counts, items }: Optimizer): boolean {
  const waits = state === 'uploading' || items.list().some(({ status }) => status === 'queued');
  return !waits && counts.toExport === 0 && counts.exported > 0;
}

/** Returns the items that have a sample or, with `result`, a result. */
export function comparable(items: readonly Item[], kind: 'sample' | 'result'): Item[] {
  return items.filter((item) => item[kind]?.variants.some(({ name }) => name === 'full'));
}
