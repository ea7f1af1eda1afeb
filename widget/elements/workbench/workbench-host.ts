import type { ReactiveControllerHost } from 'lit';
import type { I18n } from '../../i18n/index.ts';
import type { Item, Optimizer } from '../../state/index.ts';
import type { LitTemplate } from '../lit-template.ts';

/** Properties of the public element that the workbench reads. */
export interface HostProperties {
  readonly optimizer: Optimizer;
  readonly i18n: I18n;
  readonly mode: 'download' | 'replace';
  readonly noSample: boolean;
  readonly noAnalyze: boolean;
  readonly noDownload: boolean;
  readonly compact: boolean;
  /** True if the workbench is read-only. */
  readonly locked: boolean;
  readonly analyzeOptions: { readonly [option: string]: unknown };
  readonly itemActions: ((item: Item) => Node | LitTemplate | null | undefined) | null;
}

/** Interface of the public element that the workbench uses. */
export interface WorkbenchHost {
  readonly host: ReactiveControllerHost;
  readonly root: ShadowRoot;
  /** Returns the current properties. */
  properties(): HostProperties;
  setAnalyzeOptions(options: { [option: string]: unknown }): void;
  /** Saves a file of the export. */
  download(id: string, variant?: string): Promise<void>;
  /** Saves bytes as a download of the browser. */
  save(blob: Blob, filename: string): void;
  /** Focuses "Add images". */
  focusPicker(): void;
}
