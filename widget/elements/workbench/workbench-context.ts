import type { Item, Optimizer } from '../../state/index.ts';
import type { ComparePair } from '../io-compare/index.ts';
import type { HostProperties } from './workbench-host.ts';

/** State that the parts of the page are rendered from. */
export interface WorkbenchContext extends HostProperties {
  readonly settingsOpen: boolean;
  /** True while an answer about the cost is on its way. */
  readonly costLoading: boolean;
  readonly costFailed: boolean;
  readonly dialog: Dialog | null;
  act(action: WorkbenchAction): void;
  /** The open dialog was closed, with yes or without. */
  closed(yes: boolean): void;
  exportFirst(count: number): void;
  setAnalyzeOptions(options: { [option: string]: unknown }): void;
}

/** Which dialog is open. `first`: an export of only so many images. */
export type Dialog =
  | { name: 'export'; first: number | null }
  | { name: 'clear' }
  | { name: 'compare'; pairs: readonly ComparePair[]; index: number };

/** Actions of the page's buttons. */
export type WorkbenchAction =
  | 'accept-all'
  | 'analyze'
  | 'cancel'
  | 'check-cost'
  | 'compare-samples'
  | 'confirm-clear'
  | 'confirm-export'
  | 'download-all'
  | 'download-missing'
  | 'pause'
  | 'redo'
  | 'replace-all'
  | 'resume'
  | 'retry'
  | 'sample'
  | 'skip-list'
  | 'toggle-settings'
  | 'undo'
  | 'upload';

/** Current run, which prevents other runs. */
export function isRunning({ state }: Optimizer): boolean {
  return ['analyzing', 'sampling', 'exporting'].includes(state);
}

/** Items that have a sample, or a result when there is none. */
export function comparable(items: readonly Item[], kind: 'sample' | 'result'): Item[] {
  return items.filter((item) => (item[kind]?.variants.length ?? 0) > 0);
}
