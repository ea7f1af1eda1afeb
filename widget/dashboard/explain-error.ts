import { ApiError } from '../../plugin-bridge/sdk/index.ts';
import { STRINGS } from './strings.ts';

/** Returns a message that explains an error to a person. */
export interface Explanation {
  /** One or two sentences. */
  text: string;
  /** Messages by field of the request, e.g. `{ email: 'expected a mail address' }`. */
  fields: Record<string, string>;
  /** True if the log-in has ended. */
  loggedOut: boolean;
}

/** Fields of errors that have their own code. */
const FIELD_OF_CODE: Record<string, string> = {
  weak_password: 'password',
  wrong_password: 'currentPassword',
  email_taken: 'email',
};

/** Explains an error and assigns it to fields. */
export function explainError(error: unknown): Explanation {
  if (!(error instanceof ApiError)) {
    return { text: STRINGS.unreachable, fields: {}, loggedOut: false };
  }
  const named = (error.details.errors ?? {}) as Record<string, string[]>;
  const fields = Object.fromEntries(
    Object.entries(named).map(([name, messages]) => [name, sentence(messages[0] ?? '')]),
  );
  const field = FIELD_OF_CODE[error.code];
  if (field) fields[field] = sentence(error.message);
  return { text: textOf(error), fields, loggedOut: error.status === 401 && error.code !== 'wrong_credentials' };
}

function textOf(error: ApiError): string {
  if (error.status === 429 && error.retryAfterMs) return `${sentence(error.message)} ${waitOf(error.retryAfterMs)}`;
  if (error.status >= 500) return STRINGS.wentWrong(`${error.requestId ?? error.status}`);
  return sentence(error.message);
}

function waitOf(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  return minutes <= 1 ? STRINGS.inAMinute : STRINGS.inMinutes(minutes);
}

function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
