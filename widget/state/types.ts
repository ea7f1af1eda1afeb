import type { FocalPoint, Image, ImageResult, OutputFormat, Preset, ResponsiveSize, Texts } from '#contract';
import type { MetadataLevel } from '#contract/constants';

/** State of the widget. `error`: nothing can continue until a person acts, e.g. the key is rejected. */
export type OptimizerState =
  | 'empty'
  | 'uploading'
  | 'ready'
  | 'analyzing'
  | 'sampling'
  | 'exporting'
  | 'done'
  | 'error';

/**
 * Status of one image. `queued`: to be uploaded; `ready`: at the server; `done`: exported with the present settings;
 * `failed`: `error` says at what.
 */
export type ItemStatus = 'queued' | 'uploading' | 'ready' | 'analyzing' | 'sampling' | 'exporting' | 'done' | 'failed';

/** Reason why a queued upload waits. */
export type WaitReason = 'retry' | 'offline' | 'paused';

/** The fields a person edits in the review. */
export type EditableField = 'filename' | 'title' | 'alt' | 'decorative';

/** Source of a field's value; `cms`: given with the media item. */
export type FieldOrigin = 'ai' | 'embedded' | 'filename' | 'pixels' | 'user' | 'cms';

/** Texts of an image. `alt: null` is unknown; `''` with `decorative` means none is needed. */
export interface ItemMetadata {
  readonly filename: string | null;
  readonly title: string | null;
  readonly alt: string | null;
  readonly decorative: boolean;
}

/** Saving state of a person's edits. */
export type SaveState = 'saved' | 'pending' | 'saving' | 'failed';

/** Outcome of a replacement in the CMS. */
export interface Replacement {
  readonly status: 'pending' | 'replaced' | 'failed';
  readonly message: string | null;
}

/** Immutable snapshot of one image; each change creates a new object. */
export interface Item {
  /** The widget's own id, the same from adding to export. */
  readonly id: string;
  /** Id at the server; set after the upload. */
  readonly imageId: string | null;
  /** The caller's id, e.g. a CMS attachment. */
  readonly clientRef: string | null;
  /** The picked file; null for one that was found at the server after a reload. */
  readonly file: Blob | null;
  /** Address of a CMS media item that has no file here. */
  readonly url: string | null;
  /** Name as picked, with extension. */
  readonly name: string;
  /** Path inside a dropped folder, or the name. */
  readonly relativePath: string;
  /** Bytes; null while unknown. */
  readonly size: number | null;
  /** MIME type as the browser says; may be empty. */
  readonly type: string;
  readonly status: ItemStatus;
  /** 0-1 of what is being done now; 1 when it is done. */
  readonly progress: number;
  /** Current step on the server (`load`, `optimize`, `describe` …); new steps may be added. */
  readonly step: string | null;
  readonly waiting: WaitReason | null;
  /** Upload tries so far. */
  readonly tries: number;
  /** As uploaded, without metadata. */
  readonly image: Image | null;
  /** In the chosen language (`settings.language`). */
  readonly metadata: ItemMetadata;
  /** Texts by language, as the service stores them; null: in one language alone. */
  readonly texts: Texts | null;
  readonly origins: { readonly [Field in EditableField]?: FieldOrigin };
  /** True once a person has changed one of its texts in this page, and not only accepted it. */
  readonly edited: boolean;
  /** Reasons for a person to look, as the analysis gave them. */
  readonly needsReview: readonly string[];
  /** True once an analysis has ended for this image, or its texts were found at the server. */
  readonly analyzed: boolean;
  readonly saving: SaveState;
  /** Result of a sample, for comparison only. */
  readonly sample: ImageResult | null;
  /** Result of the export. */
  readonly result: ImageResult | null;
  /** True when a text or setting changed after `result`. */
  readonly stale: boolean;
  readonly replacement: Replacement | null;
  /** True while a person has selected it for an action on several images. */
  readonly selected: boolean;
  /** Point that its crops keep nearest to their centre. Null: that of the settings, else what attracts attention. */
  readonly focalPoint: FocalPoint | null;
  readonly error: ItemError | null;
}

/** Error codes of the widget, by what a person can do about them; the service's own code is in `serviceCode`. */
export type OptimizerErrorCode =
  | 'unauthorized'
  | 'insufficient_credits'
  | 'key_inactive'
  | 'sample_limit'
  | 'too_large'
  | 'throttled'
  | 'not_found'
  | 'invalid_image'
  | 'network'
  | 'timeout'
  | 'stalled'
  | 'stream_interrupted'
  | 'bad_response'
  | 'server'
  | 'aborted'
  | 'invalid_setting'
  /** The file was changed or removed after it was added. */
  | 'file_changed'
  | 'unsupported';

/** Action during which an error occurred. */
export type Phase =
  | 'add'
  | 'upload'
  | 'analyze'
  | 'save'
  | 'cost'
  | 'sample'
  | 'export'
  | 'download'
  | 'replace'
  | 'attach'
  | 'settings';

/** An error as the widget shows and reports it. */
export interface OptimizerError {
  readonly code: OptimizerErrorCode;
  /** HTTP status; null when there was no answer. */
  readonly status: number | null;
  /** In the widget's language. */
  readonly message: string;
  readonly retryable: boolean;
  /** Items it concerns; empty for the whole widget. */
  readonly ids: readonly string[];
  /** The service's own code, if it answered with one. */
  readonly serviceCode: string | null;
  readonly requestId: string | null;
  /** Of `insufficient_credits`, where known. */
  readonly balance?: number;
  readonly required?: number;
  readonly shortfall?: number;
}

/** An error of one image. */
export interface ItemError extends OptimizerError {
  readonly phase: Phase;
}

/** Reason why a file was rejected. */
export type RejectionCode =
  | 'type'
  | 'size'
  | 'total'
  | 'count'
  | 'pixels'
  | 'empty'
  | 'truncated'
  | 'unreadable'
  | 'duplicate'
  | 'custom';

/** A file that was not taken. */
export interface Rejection {
  readonly name: string;
  readonly file: Blob | null;
  readonly code: RejectionCode;
  /** In the widget's language. */
  readonly message: string;
}

/** Origin of added files. */
export type AddSource = 'picker' | 'drop' | 'paste' | 'folder' | 'api';

/** A media item of the CMS: bytes as `blob`, or where to get them as `url`. */
export interface MediaItem {
  /** The CMS' own id; comes back as `clientRef`. */
  id: string | number;
  url?: string;
  blob?: Blob;
  name?: string;
  title?: string | null;
  alt?: string | null;
}

/** Limits of added files. Sizes in bytes; null: no limit. */
export interface Restrictions {
  /** As of `<input accept>`: MIME types, `image/*` or extensions. */
  accept: string;
  maxFiles: number | null;
  maxFileSize: number | null;
  maxTotalSize: number | null;
  /** Width x height. */
  maxPixels: number | null;
  /** Resolves with a message to refuse a file. */
  validate: ((file: Blob & { name?: string }) => Promise<string | null | undefined>) | null;
}

/** A breakpoint: a width in pixels, or a box. */
export type SizeInput = number | { width: number; height?: number; fit?: ResponsiveSize['fit'] };

/** Settings of an export. */
export interface Settings {
  readonly format: OutputFormat;
  readonly preset: Preset;
  readonly responsive: boolean;
  /** Absent: the service's own widths. */
  readonly responsiveSizes?: SizeInput[];
  readonly embedMetadata?: boolean;
  /** Kept part of the uploads' metadata. Absent: by `keepCopyright`, else `rights`. */
  readonly metadata?: MetadataLevel | undefined;
  /** The older form of `metadata`: `true` means `rights`, `false` means `none`. */
  readonly keepCopyright?: boolean | undefined;
  /** Language (BCP 47) in which texts are shown, edited and embedded, for images with texts in several. Absent: their first one. */
  readonly language?: string;
  /** Several formats in one export. The first one is `format`. */
  readonly formats?: OutputFormat[] | undefined;
  /** Most pixels of the whole image, which is scaled down to fit. */
  readonly maxWidth?: number | undefined;
  readonly maxHeight?: number | undefined;
  /** Point that crops keep nearest to their centre, each coordinate from 0 to 1. */
  readonly focalPoint?: FocalPoint | undefined;
  /** Adds a ThumbHash to each result. */
  readonly placeholder?: boolean | undefined;
  /** `keep`: HDR photographs are exported in their own format, which holds their light. Absent: `flatten`. */
  readonly hdr?: 'flatten' | 'keep' | undefined;
  /** `exact`: reach the preset's score whatever the last points cost. */
  readonly quality?: 'exact' | undefined;
  /** Delivers and charges only files that become smaller. */
  readonly onlySmaller?: boolean;
}

/** Price of an export, from the service. */
export interface Cost {
  readonly images: number;
  readonly costPerImage: number;
  readonly cost: number;
  readonly balance: number;
  readonly balanceAfter: number;
  readonly sufficient: boolean;
  readonly shortfall: number;
  /** Number of images that the balance covers. */
  readonly affordable: number;
}

/** Progress of the present run. Changes at most four times a second. */
export interface Progress {
  readonly phase: 'upload' | 'analyze' | 'sample' | 'export';
  /** Images that are through, failed ones included. */
  readonly done: number;
  readonly total: number;
  readonly failed: number;
  /** 0-1; of an upload by bytes. */
  readonly fraction: number;
  /** Of an upload. */
  readonly loadedBytes?: number;
  readonly totalBytes?: number;
  /** Of an export: 1-based, and how many. */
  readonly batch?: number;
  readonly batches?: number;
}

/** Position in a batch. */
export type Position = {
  /** 1-based. */
  readonly index: number;
  readonly count: number;
};

/** Outcome of an export. */
export interface ExportOutcome {
  readonly results: readonly ImageResult[];
  readonly succeeded: number;
  readonly failed: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** Credits charged for these results, by any page. */
  readonly credits: number;
}

/** Filter of the review's rows; `review`: the analysis asks a person to look. */
export type ListFilter = 'all' | 'missing' | 'review' | 'failed';
