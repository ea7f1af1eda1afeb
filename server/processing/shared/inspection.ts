import type { ImageFacts, ImageKind } from '#contract';
import type { MetadataValues, XmpField } from '#contract/constants';
import type { SourceFacts, WorkerLimits } from './protocol.ts';

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
