import type { TemplateResult } from 'lit';
import type { I18n } from '../../i18n/index.ts';
import type { Item, Optimizer } from '../../state/index.ts';

/** Values that all rows share. Each change creates a new object, so that rows update. */
export interface RowContext {
  readonly optimizer: Optimizer;
  readonly i18n: I18n;
  readonly mode: 'download' | 'replace';
  readonly noDownload: boolean;
  /** Nothing can be edited, removed or started. */
  readonly locked: boolean;
  readonly itemActions: ((item: Item) => Node | TemplateResult | null | undefined) | null;
  /** A control of a row got the focus. */
  focused(control: HTMLElement): void;
  /** Opens the comparison of one image. */
  compare(item: Item): void;
  /** Saves a file of the export; settles when it is on the disk or is among the notices. */
  download(item: Item, variant?: string): Promise<void>;
}
