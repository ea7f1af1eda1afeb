import type { OptimizerError, OptimizerErrorCode, Phase, RejectionCode } from './types.ts';

/** A message that stays visible until it is dismissed or out of date. */
export interface Notice {
  readonly id: string;
  readonly kind: 'error' | 'warning';
  readonly message: string;
  readonly error: OptimizerError | null;
  readonly phase: Phase | null;
  /** Rejected files, or files that could not be downloaded. */
  readonly files: readonly NoticeFile[];
  /**
   * Actions of the buttons: `renew` uploads the files to a new session, `export-first` exports as many as the balance is enough for, `download-missing`
   * fetches those of `files` again.
   */
  readonly actions: readonly ('retry' | 'renew' | 'export-first' | 'check-cost' | 'download-missing')[];
}

/** A file that a notice is about. */
export interface NoticeFile {
  /** Of a download: item id. */
  readonly id?: string;
  readonly variant?: string;
  readonly name: string;
  readonly code: RejectionCode | OptimizerErrorCode;
  /** In the widget's language, with the name. */
  readonly message: string;
}

/** A message for a live region. */
export interface Announcement {
  readonly text: string;
  readonly urgency: 'polite' | 'assertive';
}

/** Gives a text of the widget in its language; `params` fill the placeholders, `count` chooses the plural. */
export type Translate = (key: string, params?: { [name: string]: string | number }) => string;
