import type { ErrorCode, WarningCode } from '#contract';
import type { EmbeddedTexts, EncodedFormat, InputFormat, OutputFormat, Preset } from '#contract/constants';
import type { VariantSpec } from './variants.ts';

/** Limits that a worker holds an image to; see the configuration for their meaning. */
export interface WorkerLimits {
  maxPixels: number;
  maxFrames: number;
  maxAvifPixels: number;
}

/** Properties of an image from its header. Width and height in pixels after EXIF orientation; size in bytes. */
export interface SourceFacts {
  format: InputFormat;
  width: number;
  height: number;
  hasAlpha: boolean;
  pages: number;
  size: number;
}

/** The stages of a render that are reported while it runs. */
export type RenderStep = 'load' | 'optimize' | 'resize' | 'save';

export interface ProbeTask {
  file: string;
  limits: WorkerLimits;
}

export interface ProbeReport {
  format: InputFormat;
  width: number;
  height: number;
  hasAlpha: boolean;
  pages: number;
  warnings: WarningCode[];
}

export interface RenderTask {
  source: string;
  facts: SourceFacts;
  format: OutputFormat;
  preset: Preset;
  keepCopyright: boolean;
  embed?: EmbeddedTexts | undefined;
  /** `part` is the temporary file beside `target`; the service process knows both and removes what a killed worker leaves. */
  variants: (VariantSpec & { target: string; part: string })[];
  limits: WorkerLimits;
}

export interface RenderReport {
  name: string;
  file: string;
  size: number;
  width: number;
  height: number;
  format: EncodedFormat;
  sha256: string;
  quality: number | 'lossless' | null;
  keptOriginal: boolean;
  warnings: WarningCode[];
  /** Seconds that encoding took. */
  encodeSeconds: number;
}

export interface PreviewTask {
  source: string;
  facts: SourceFacts;
  width: number;
  target: string;
  part: string;
  limits: WorkerLimits;
}

export interface PreviewReport {
  file: string;
  size: number;
  width: number;
  height: number;
}

/** A failure with a code of the catalogue; `cause` is the library's own text, for the log. */
export interface WorkerFailure {
  code: ErrorCode;
  message: string;
  details?: Record<string, unknown>;
  cause?: string;
}

/** Result of a worker task: failures are values, so that they cross the process boundary whole. */
export type WorkerOutcome<T> = { ok: true; value: T } | { ok: false; failure: WorkerFailure };

/** Messages of a worker to the service. */
export type WorkerMessage =
  | { type: 'started'; pid: number }
  | { type: 'step'; step: RenderStep }
  /** Names of the variants it yields; empty if it keeps all. */
  | { type: 'yielded'; names: string[] };

/** Message of the service to a worker: requests that it yields some of its queued variants. */
export type PoolMessage = { type: 'yield' };
