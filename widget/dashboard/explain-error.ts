import { ApiError } from '../../plugin-bridge/sdk/index.ts';
import { STRINGS } from './language.ts';

const { errors: texts } = STRINGS;

/** Returns a message that explains an error to a person. */
export interface Explanation {
  /** One or two sentences. */
  text: string;
  /** Messages by field of the request, e.g. `{ email: 'Please enter a valid email address.' }`. */
  fields: Record<string, string>;
  /** True if the log-in has ended. */
  loggedOut: boolean;
  /** True if the account was suspended. */
  suspended: boolean;
}

/** Fields of errors that have their own code. */
const FIELD_OF_CODE: Record<string, string> = {
  wrong_password: 'currentPassword',
  email_taken: 'email',
  insufficient_credits: 'amount',
};

/** Explains an error in the current language, and assigns it to fields. */
export function explainError(error: unknown): Explanation {
  if (!(error instanceof ApiError)) {
    return { text: texts.unreachable, fields: {}, loggedOut: false, suspended: false };
  }
  const text = textOf(error);
  const named = Object.keys((error.details.errors ?? {}) as object);
  const fields = Object.fromEntries(named.map((name) => [name, textOfField(name, error)]));
  const field = FIELD_OF_CODE[error.code];
  if (field) fields[field] = text;
  return {
    text,
    fields,
    loggedOut: error.status === 401 && error.code !== 'wrong_credentials',
    suspended: error.code === 'account_suspended',
  };
}

function textOf(error: ApiError): string {
  const known = textOfCode(error);
  if (error.retryAfterMs && known) return `${known} ${waitOf(error.retryAfterMs)}`;
  if (known) return known;
  // Requests without a form in these pages: the message of the service.
  if (error.status < 500) return sentence(error.message);
  return texts.wentWrong({ id: `${error.requestId ?? error.status}` });
}

function textOfCode({ code, details }: ApiError): string | undefined {
  if (code === 'insufficient_credits') return texts.codes.insufficient_credits({ count: Number(details.balance) });
  const { insufficient_credits: _, ...plain } = texts.codes;
  return Object.hasOwn(plain, code) ? plain[code as keyof typeof plain] : undefined;
}

function textOfField(name: string, { code, details }: ApiError): string {
  if (code === 'weak_password') return textOfPassword(details);
  if (name === 'email') return texts.fields.email;
  return name === 'amount' ? texts.fields.amount : texts.fields.invalid;
}

function textOfPassword({ reason, limit }: ApiError['details']): string {
  const { password } = texts;
  if (reason === 'short' || reason === 'long') return password[reason]({ limit: Number(limit) });
  return reason === 'email' || reason === 'simple' ? password[reason] : password.common;
}

function waitOf(ms: number): string {
  return texts.inMinutes({ count: Math.max(1, Math.ceil(ms / 60_000)) });
}

function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
