import type { ResponsiveSize, Settings } from '#contract';
import type { ImageOptimizerEventMap } from '../../widget/events.ts';

/** An image in the element. */
export type HostItem = ImageOptimizerEventMap['io-add']['detail']['items'][number];

/** What the element tells when a result is to take an image's place. */
export type ReplaceDetail = ImageOptimizerEventMap['io-replace']['detail'];

/** A media item as the element takes it. */
export interface HostMedia {
  id: string;
  blob: Blob;
  name: string;
  title: string | null;
  alt: string | null;
}

/** Settings as the element has them: sizes may be bare widths. */
export type ElementSettings = Omit<Partial<Settings>, 'responsiveSizes'> & {
  readonly responsiveSizes?: readonly (number | { width: number; height?: number; fit?: ResponsiveSize['fit'] })[];
};

/** What is needed of `<image-optimizer>`, so that this module runs with whatever copy of it a page has. */
export interface HostElement extends EventTarget {
  readonly items: readonly HostItem[];
  readonly state: string;
  sessionId: string | null;
  endpoint: string;
  apiKey?: string | undefined;
  headers: unknown;
  strings: unknown;
  transport: unknown;
  get settings(): ElementSettings;
  set settings(settings: ElementSettings);
  addItems(
    media: readonly HostMedia[],
  ): Promise<{ added: readonly HostItem[]; rejections: readonly { name: string; message: string }[] }>;
  upload(): Promise<void>;
  export(ids?: readonly string[]): Promise<unknown>;
  replace(id: string): Promise<void>;
  remove(id: string): void;
  cancel(): void;
  getState(): object;
  restore(state: object): Promise<void>;
}
