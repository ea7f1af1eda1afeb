import type { ErrorCode, ImageFacts, ImageKind, Warning, WarningCode } from '#contract';
import type {
  EmbeddedTexts,
  EncodedFormat,
  InformationKind,
  InputFormat,
  MetadataLevel,
  MetadataValues,
  OutputFormat,
  Preset,
  XmpField,
} from '#contract/constants';
import type { Signer } from './signer.ts';
import type { ReachedQuality, SourceFacts, VariantSpec } from './variants.ts';

/** Limits that a worker enforces; see the configuration for their meaning. */
export interface WorkerLimits {
  maxPixels: number;
  maxFrames: number;
  maxAvifPixels: number;
  /** Formats that uploads may have. */
  formats: readonly InputFormat[];
}

/** Stage of a running render. */
export type RenderStep = 'load' | 'optimize' | 'resize' | 'save';

/** One file whose header is read. */
export interface ProbeTask {
  file: string;
  limits: WorkerLimits;
  /** True to validate content credentials. @default false */
  validatesCredentials?: boolean;
}

/** Properties of an upload from its header. */
export interface ProbeReport {
  format: InputFormat;
  width: number;
  height: number;
  hasAlpha: boolean;
  pages: number;
  /** Kinds of information beside the pixels. */
  carries: InformationKind[];
  warnings: WarningCode[];
}

/** Output settings of an image; with the source and the size of a variant they determine its bytes. */
export interface OutputSettings {
  format: OutputFormat;
  preset: Preset;
  /** Kept part of the upload's metadata. */
  metadata: MetadataLevel;
  /** Texts to write into the files. */
  embed?: EmbeddedTexts | undefined;
  /** True to reach the preset's target whatever the last points cost. @default false */
  insists?: boolean | undefined;
}

/** One image to render into one or more variants. */
export interface RenderOrder extends OutputSettings {
  /** Absolute path of the uploaded file. */
  source: string;
  /** Name under which crashes of the image are counted, e.g. its hash. @default source */
  identity?: string;
  facts: SourceFacts;
  /** True to sign content credentials that the upload carries. @default false */
  signs?: boolean;
  /** `target` is the absolute final path; it appears whole or not at all. */
  variants: (VariantSpec & { target: string })[];
}

/** A render order as it is sent to a worker. */
export interface RenderTask extends RenderOrder {
  /** `part` is the temporary file beside `target`. The service process removes it if the worker is killed. */
  variants: (VariantSpec & { target: string; part: string })[];
  limits: WorkerLimits;
  /** True to search the quality of each image; false for the numbers of the preset's table. */
  search: boolean;
  /** Signs the content credentials of the files; absent: they are dropped. */
  signer?: Signer | undefined;
}

/** A file that was written. */
export interface RenderedVariant extends ReachedQuality {
  name: string;
  file: string;
  /** Bytes. */
  size: number;
  width: number;
  height: number;
  format: EncodedFormat;
  mimeType: string;
  /** SHA-256 of the file, in hex. */
  sha256: string;
  keptOriginal: boolean;
  warnings: Warning[];
}

/** A written file as a worker reports it. */
export interface RenderReport extends Omit<RenderedVariant, 'mimeType' | 'warnings'> {
  warnings: WarningCode[];
  /** Duration of the encoding, in seconds. */
  encodeSeconds: number;
}

/** One preview to make. */
export interface PreviewTask {
  source: string;
  facts: SourceFacts;
  /** Pixels; null: a copy of the file without private metadata. */
  width: number | null;
  target: string;
  part: string;
  limits: WorkerLimits;
}

/** One image of which a placeholder is made. */
export interface PlaceholderTask {
  source: string;
  facts: SourceFacts;
  limits: WorkerLimits;
}

/** A preview that was written; size in bytes. */
export interface PreviewReport {
  file: string;
  size: number;
  width: number;
  height: number;
}

/** A failure with a code of the catalogue; `cause` is the library's message or a stack, for the log. */
export interface WorkerFailure {
  code: ErrorCode;
  message: string;
  details?: Record<string, unknown>;
  /** True for a fault of the service or its machine. */
  unexpected?: true;
  cause?: string;
}

/** Result of a worker task. Failures are values, since errors lose their fields between processes. */
export type WorkerOutcome<T> = { ok: true; value: T } | { ok: false; failure: WorkerFailure };

/** Messages of a worker to the service. */
export type WorkerMessage =
  | { type: 'started'; pid: number }
  | { type: 'step'; step: RenderStep }
  /** Names of the variants it yields; empty if it keeps all. */
  | { type: 'yielded'; names: string[] };

/** Message of the service to a worker: requests that it yields some of its queued variants. */
export type PoolMessage = { type: 'yield' };

/** A text embedded in a file, with its language tag. */
export interface EmbeddedText {
  text: string;
  /** BCP 47; null: not tagged. */
  language: string | null;
}

/** Metadata embedded in a file. Raw and untrusted, but bounded. */
export type EmbeddedMetadata = {
  [Name in XmpField]: MetadataValues[Name] extends string[] ? string[] : EmbeddedText | null;
};

/** One image to inspect and the results wanted. */
export interface InspectTask {
  source: string;
  facts: SourceFacts;
  /** Preferred language of embedded texts. */
  language?: string | undefined;
  /** Further languages to read embedded texts in. */
  furtherLanguages?: string[] | undefined;
  /** Longest edges in pixels of the copy for a vision model; absent: none is made. */
  vision?: { maxEdge: number; maxTextEdge: number } | undefined;
  limits: WorkerLimits;
}

/** One image to inspect; `source` is an absolute path. */
export type InspectRequest = Omit<InspectTask, 'limits'>;

/** Result of an inspection; `jpeg` is the re-encoded copy, without metadata. */
export interface Inspection extends Omit<InspectReport, 'vision'> {
  vision: { jpeg: Buffer; width: number; height: number } | null;
}

/** Result of a worker; the copy is base64, because messages between processes are JSON. */
export interface InspectReport {
  embedded: EmbeddedMetadata;
  /** Embedded texts chosen for each of the further languages, whose tag they do not always have. */
  translated?: Record<string, EmbeddedMetadata>;
  /** Null if the pixels cannot be decoded. */
  pixels: PixelReport | null;
  vision: { base64: string; width: number; height: number } | null;
}

/** Measurements of the pixels. */
export interface PixelReport {
  facts: ImageFacts;
  /** Guessed kind; null if it cannot be guessed. */
  kind: Extract<ImageKind, 'photo' | 'screenshot' | 'document' | 'icon' | 'blank'> | null;
}
