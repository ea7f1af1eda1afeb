import type { STRUCTURED_MODES } from './config.ts';

/** How the shape of an answer is asked for. */
export type StructuredMode = (typeof STRUCTURED_MODES)[number];

/** One question about one picture. */
export interface VisionQuestion {
  system: string;
  prompt: string;
  image: { data: Uint8Array; mediaType: 'image/jpeg' | 'image/png' };
  /** Absent: plain text is wanted. */
  shape?: { mode: StructuredMode; name: string; schema: Record<string, unknown> };
  /** An earlier answer that could not be used, and what is wrong with it. */
  repair?: { answer: string; fault: string };
}

/** What a model said, word by word: untrusted. */
export interface VisionReply {
  text: string;
  /** The service withheld or stopped the answer. */
  filtered: boolean;
  /** The answer was cut off where it became too long. */
  truncated: boolean;
}

/** A service that looks at pictures. */
export interface VisionProvider {
  /** Asks once, without retries. @throws VisionFailure, or the signal's reason */
  ask(question: VisionQuestion, signal: AbortSignal): Promise<VisionReply>;
}

/** Why a question got no answer. `unsupported`: this way of asking is not understood, another one may be. */
export type FailureKind = 'unsupported' | 'transient' | 'permanent';

/** A question without an answer. Carries nothing of what the service wrote: that may repeat keys. */
export class VisionFailure extends Error {
  readonly kind: FailureKind;
  /** HTTP status; null: there was no answer at all. */
  readonly status: number | null;
  /** What the service asks to wait, in milliseconds. */
  readonly retryAfterMs: number | null;

  constructor(kind: FailureKind, status: number | null, retryAfterMs: number | null = null) {
    super(status === null ? 'The vision service could not be reached' : `The vision service answered ${status}`);
    this.name = 'VisionFailure';
    this.kind = kind;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}
