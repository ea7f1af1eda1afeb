import type { STRUCTURED_MODES } from './config.ts';

/** A mode of structured output. */
export type StructuredMode = (typeof STRUCTURED_MODES)[number];

/** One question about one image. */
export interface VisionQuestion {
  system: string;
  prompt: string;
  image: { data: Uint8Array; mediaType: 'image/jpeg' | 'image/png' };
  /** Absent: plain text. */
  shape?: { mode: StructuredMode; name: string; schema: Record<string, unknown> };
  /** Languages of the answer beside the first, which make it longer. @default 0 */
  furtherLanguages?: number;
  /** An earlier unusable answer and its fault. */
  repair?: { answer: string; fault: string };
}

/** A model's raw reply; untrusted. */
export interface VisionReply {
  text: string;
  /** True if a content filter withheld or stopped the reply. */
  filtered: boolean;
  /** True if the reply was cut off at its length limit. */
  truncated: boolean;
}

/** A vision service. */
export interface VisionProvider {
  /** Asks once, without retries. @throws VisionFailure, or the signal's reason */
  ask(question: VisionQuestion, signal: AbortSignal): Promise<VisionReply>;
}

/** Kind of a failure. `unsupported`: the service does not support the mode; another one may work. */
export type FailureKind = 'unsupported' | 'transient' | 'permanent';

/** A failed question. Carries no text of the service, since that may repeat keys. */
export class VisionFailure extends Error {
  readonly kind: FailureKind;
  /** HTTP status; null if there was no response. */
  readonly status: number | null;
  /** Delay requested by the service, in milliseconds. */
  readonly retryAfterMs: number | null;

  constructor(kind: FailureKind, status: number | null, retryAfterMs: number | null = null) {
    super(status === null ? 'The vision service could not be reached' : `The vision service answered ${status}`);
    this.name = 'VisionFailure';
    this.kind = kind;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}
