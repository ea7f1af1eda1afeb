import type { Image, ImageResult } from '#contract';
import type {
  AddSource,
  EditableField,
  Item,
  OptimizerError,
  OptimizerState,
  Phase,
  Rejection,
  Settings,
} from './types.ts';

/** A file that can be taken out: made by an export. */
export interface FileDetail {
  /** Item id. */
  id: string;
  imageId: string;
  /** The CMS' own id of the image. */
  clientRef: string | null;
  /** `full`, or `<width>w`. */
  variant: string;
  filename: string;
  /** Download path below the endpoint. */
  url: string;
  result: ImageResult;
  /** Fetches the file's bytes; every call is a request. */
  blob(): Promise<Blob>;
  /** The widget shows the promise's outcome at the image. */
  waitUntil(promise: Promise<unknown>): void;
}

/** Details of the events, by name. */
export interface EventDetails {
  /** Before files are looked at. Cancelable. */
  'io-before-add': { files: Blob[]; source: AddSource };
  'io-add': { items: Item[] };
  'io-remove': { items: Item[] };
  /** One for each batch that was added. */
  'io-reject': { rejections: Rejection[] };
  /** Bytes; `aggregate` is 0-1 over all uploads of the run. */
  'io-upload-progress': { id: string; loaded: number; total: number; aggregate: number };
  'io-upload': { id: string; image: Image };
  'io-analyze-progress': { id: string; done: number; total: number };
  'io-analyze': { items: Item[] };
  /** Before a text changes by `user`, after it changed by `ai`. Cancelable for `user`. */
  'io-metadata-change': {
    id: string;
    field: EditableField;
    value: string | boolean | null;
    previous: string | boolean | null;
    origin: 'user' | 'ai';
  };
  'io-settings-change': { settings: Settings; previous: Settings };
  'io-cost': { images: number; cost: number; balance: number; sufficient: boolean };
  'io-sample': { results: ImageResult[] };
  /** Before anything is charged. Cancelable. */
  'io-before-export': { images: Item[]; settings: Settings; cost: number | null; batches: number };
  'io-export-progress': {
    /** Item id. */
    id: string;
    imageId: string;
    status: string;
    step: string;
    current: number;
    total: number;
    batch: number;
    batches: number;
    /** 0-1 over all batches. */
    aggregate: number;
  };
  'io-export': {
    results: ImageResult[];
    succeeded: number;
    failed: number;
    bytesBefore: number;
    bytesAfter: number;
  };
  /** Cancelable: then the page takes the file. */
  'io-download': FileDetail;
  /** Cancelable. The CMS adapter calls `waitUntil`. */
  'io-replace': FileDetail;
  'io-state-change': { state: OptimizerState; previous: OptimizerState };
  'io-error': { error: OptimizerError; phase: Phase };
}

/** Name of an event. */
export type EventName = keyof EventDetails;

/** Events whose default a listener can prevent. */
export const CANCELABLE_EVENTS: readonly EventName[] = [
  'io-before-add',
  'io-metadata-change',
  'io-before-export',
  'io-download',
  'io-replace',
];

/** An event before it is a DOM event. */
export type OptimizerEvent = {
  [Name in EventName]: {
    readonly type: Name;
    readonly detail: EventDetails[Name];
    readonly cancelable: boolean;
    /** Only of a cancelable event. */
    preventDefault(): void;
  };
}[EventName];
