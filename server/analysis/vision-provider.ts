import type { STRUCTURED_MODES } from './config.ts';
import type { FailureKind } from './failure-kinds.ts';

/** A mode of structured output. */
export type StructuredMode = (typeof STRUCTURED_MODES)[number];

/** One question about one image. */
export interface VisionQuestion {
  system: string;
  prompt: string;
  image: { data: Uint8Array; mediaType: 'image/jpeg' | 'image/png' };
  /** Absent: plain text. */
  shape?: { mode: StructuredMode; name: string; schema: Record<string, unknown> };
  /** Most tokens of the answer. */
  maxTokens: number;
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

/** Probe that finds out without a question that a service is there again. `connect`: it accepts connections; `health`: `GET /health`. */
export type Probe = 'connect' | 'health';

/** A vision service. */
export interface VisionProvider {
  /** Asks once, without retries. @throws VisionFailure, or the signal's reason */
  ask(question: VisionQuestion, signal: AbortSignal): Promise<VisionReply>;
  /** Tests if the service is there, without asking the model; null: that cannot be told so. Never rejects. */
  probe?(how: Probe, signal: AbortSignal): Promise<boolean | null>;
}

interface FailureDetails {
  /** Delay requested by the service, in milliseconds. */
  retryAfterMs?: number | null;
  /** Code of the failed connection, e.g. `ECONNREFUSED`. */
  cause?: string | null;
  /** True if the words of the service say the kind. */
  isNamed?: boolean;
  /** Absent: only a question can tell that the service is there again. */
  probe?: Probe | null;
}

/** A failed question. Carries no text of the service, since that may repeat keys. */
export class VisionFailure extends Error {
  readonly kind: FailureKind;
  /** HTTP status; null if there was no response. */
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  readonly causeCode: string | null;
  readonly isNamed: boolean;
  readonly probe: Probe | null;

  constructor(kind: FailureKind, status: number | null, details: FailureDetails = {}) {
    super(status === null ? 'The vision service could not be reached' : `The vision service answered ${status}`);
    this.name = 'VisionFailure';
    this.kind = kind;
    this.status = status;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.causeCode = details.cause ?? null;
    this.isNamed = details.isNamed ?? false;
    this.probe = details.probe ?? null;
  }
}
