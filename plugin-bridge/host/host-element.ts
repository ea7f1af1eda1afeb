import type { ResponsiveSize, Settings } from '#contract';
import type { ImageOptimizerEventMap } from '../../widget/events.ts';

/** An image in the element. */
export type HostItem = ImageOptimizerEventMap['io-add']['detail']['items'][number];

/** Detail of the event that asks for a replacement. */
export type ReplaceDetail = ImageOptimizerEventMap['io-replace']['detail'];

/** A media item added to the element. */
export interface HostMedia {
  id: string;
  /** Bytes; absent if the host's server sends them to the service. */
  blob?: Blob;
  url?: string;
  name: string;
  title: string | null;
  alt: string | null;
}

/** Settings of the element; sizes may be plain widths. */
export type ElementSettings = Omit<Partial<Settings>, 'responsiveSizes'> & {
  readonly responsiveSizes?: readonly (number | { width: number; height?: number; fit?: ResponsiveSize['fit'] })[];
};

/** Members of `<image-optimizer>` a host uses, so that hosts work with any copy of the element. */
export interface HostElement extends EventTarget {
  readonly items: readonly HostItem[];
  readonly state: string;
  sessionId: string | null;
  endpoint: string;
  apiKey?: string | undefined;
  headers: unknown;
  strings: unknown;
  transport: unknown;
  importBy?: 'page' | 'server';
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
