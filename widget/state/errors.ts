import type { Translate } from './messages.ts';
import type { OptimizerError, OptimizerErrorCode } from './types.ts';

/** Optional properties that errors of the client, of `fetch` and of adapters share. */
interface Failure {
  name?: string;
  message?: string;
  code?: unknown;
  status?: unknown;
  details?: { [name: string]: unknown };
  requestId?: string;
  retryable?: boolean;
  retryAfterMs?: number;
}

const BY_STATUS: { readonly [status: number]: OptimizerErrorCode } = {
  401: 'unauthorized',
  402: 'insufficient_credits',
  403: 'unauthorized',
  404: 'not_found',
  408: 'timeout',
  413: 'too_large',
  415: 'invalid_image',
  422: 'invalid_image',
  429: 'throttled',
};

/** Codes that mean the same here. */
const SAME: readonly OptimizerErrorCode[] = [
  'network',
  'timeout',
  'stalled',
  'stream_interrupted',
  'aborted',
  'bad_response',
  'unsupported',
  'invalid_setting',
  'insufficient_credits',
  'file_changed',
];

const BY_CODE: { readonly [code: string]: OptimizerErrorCode } = {
  inactive_api_key: 'key_inactive',
  account_suspended: 'key_inactive',
  sample_limit_exceeded: 'sample_limit',
  url_import_disabled: 'unsupported',
  media: 'not_found',
  file_gone: 'not_found',
  too_many_pixels: 'invalid_image',
  unsupported_image: 'invalid_image',
};

const RETRYABLE: readonly OptimizerErrorCode[] = ['network', 'timeout', 'stalled', 'stream_interrupted', 'throttled'];

/** An error that the widget itself finds. */
export function failure(code: OptimizerErrorCode, message: string = code): Error {
  return Object.assign(new Error(message), { code });
}

/** Returns the widget's error for a thrown value or for an image's failure in a result. */
export function toOptimizerError(cause: unknown, t: Translate, ids: readonly string[] = []): OptimizerError {
  const { name, message = '', code, status, details = {}, requestId, retryable } = (cause ?? {}) as Failure;
  const { limit = details.limit } = (cause ?? {}) as { limit?: unknown };
  const serviceCode = typeof code === 'string' ? code : null;
  const number = typeof status === 'number' ? status : null;
  const byStatus = number === null ? undefined : BY_STATUS[number];
  // A proxy's page says least; its status may say more.
  const own = SAME.find((known) => known === serviceCode) ?? BY_CODE[serviceCode ?? ''];
  const found =
    (own === 'bad_response' ? (byStatus ?? own) : (own ?? byStatus)) ?? (name === 'AbortError' ? 'aborted' : 'server');
  return {
    code: found,
    status: number,
    // Computed on each read, because the language may change while it is shown.
    get message() {
      // The adapter left the image out, so its reason is shown.
      if (serviceCode === 'cms') return message;
      // The service answers 403 without a code of its own for a deactivated key; any other 403 comes from the CMS.
      const key = `error.${serviceCode}`;
      const params: { [name: string]: number } =
        typeof limit === 'number' ? { limit, millions: Math.round(limit / 1e5) / 10 } : {};
      const known = t(key, params);
      // Without the number that it names, a text says less than the general one.
      return known === key || known.includes('{') ? t(`error.${found}`, { message, status: number ?? 0 }) : known;
    },
    // A limit of the plan lasts for hours.
    retryable: retryable ?? (RETRYABLE.includes(found) && !serviceCode?.endsWith('_limit_reached')),
    ids,
    serviceCode,
    requestId: requestId ?? null,
    ...numbersOf(details),
  };
}

/** Returns the delay that the service requests before a retry, in milliseconds; 0 without a request. */
export function requestedDelay(cause: unknown): number {
  return (cause as Failure | null)?.retryAfterMs ?? 0;
}

/** True if the session has ended at the service. */
export const isExpired = ({ serviceCode }: Pick<OptimizerError, 'serviceCode'>) => serviceCode === 'session_not_found';

/** True for errors that concern every request. They are not retried until the user acts. */
export function isFatal(code: OptimizerErrorCode): boolean {
  return code === 'unauthorized' || code === 'key_inactive';
}

function numbersOf(details: { [name: string]: unknown }): Partial<OptimizerError> {
  const names = ['balance', 'required', 'shortfall'] as const;
  return Object.fromEntries(
    names.flatMap((name) => (typeof details[name] === 'number' ? [[name, details[name]]] : [])),
  );
}
