import type { I18n } from '../../i18n/index.ts';
import type { Item, Optimizer, Settings } from '../../state/index.ts';
import type { LitTemplate } from '../lit-template.ts';

/** Values that all rows share. Each change creates a new object, so that rows update. */
export interface RowContext {
  readonly optimizer: Optimizer;
  readonly i18n: I18n;
  /** Settings of the next export. */
  readonly settings: Settings;
  readonly mode: 'download' | 'replace';
  readonly noDownload: boolean;
  /** Rows show what else they know when they are opened. */
  readonly compact: boolean;
  /** True if the row can be neither edited, removed nor started. */
  readonly locked: boolean;
  /** Rows are cards of a grid. */
  readonly grid: boolean;
  /** Rows have a box that selects them. */
  readonly selecting: boolean;
  readonly itemActions: ((item: Item) => Node | LitTemplate | null | undefined) | null;
  /** Called if a control of a row is focused. */
  focused(control: HTMLElement): void;
  /** Opens the review at one image. */
  review(item: Item): void;
  /** Opens the comparison of one image. */
  compare(item: Item): void;
  /** Copies a text to the clipboard, and says so. */
  copy(text: string): Promise<void>;
  /** Saves a file of the export. Resolves when it is saved, or when its error is shown as a notice. */
  download(item: Item, variant?: string): Promise<void>;
}
