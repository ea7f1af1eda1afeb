import { ApiError, ConnectionError } from '../sdk/index.ts';
import { CliError, EXIT } from './exit-codes.ts';
import { printable } from './printable.ts';
import type { Failure, Summary } from './report.ts';

const GO_ON = 'Run the same command again to go on; paid images are not paid again.';
const INTERRUPTED = `Stopped. ${GO_ON}`;

/** Codes of a file system that takes no file of any image. */
const FULL_DISK = ['ENOSPC', 'EDQUOT', 'EROFS', 'insufficient_storage'];

/** Says how far an interrupted run came. */
export function interruptedAfter({ images, made, restored, unchanged }: Summary): string {
  return `Stopped, ${made + restored + unchanged} of ${images} done. ${GO_ON}`;
}

/** Advice to whoever has too few credits. */
export const MORE_CREDITS =
  'The operator of the service grants more: npm run --silent admin -- credits grant --email ADDRESS --amount N';

/** Advice by the code of the network's error. */
const ADVICE: [RegExp, string][] = [
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'There is no host of this name: check --endpoint.'],
  [/^ECONNREFUSED$/, 'Nothing listens at this address: is the service running, and is --endpoint right?'],
  [/^(ERR_SSL_|EPROTO)/, 'The service speaks plain http at this address: use http:// in --endpoint.'],
  [
    /SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)/,
    'Its certificate is not signed by a known authority: name its file in NODE_EXTRA_CA_CERTS.',
  ],
  [/^(CERT_|ERR_TLS_CERT)/, 'Its certificate is not valid for this address: see --endpoint.'],
];

function adviceOn(error: ConnectionError): string {
  for (let cause: unknown = error.cause; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const advice = code && ADVICE.find(([pattern]) => pattern.test(code))?.[1];
    if (advice) return advice;
  }
  return 'Is the address right? See --endpoint.';
}

/** Returns the error that ends the whole run, since every other image would meet it too; undefined if it concerns one image. */
export function endsTheRun(error: unknown): CliError | undefined {
  if (error instanceof CliError) return error;
  const { code: cause } = (error ?? {}) as { code?: unknown };
  if (FULL_DISK.includes(String(cause)))
    return new CliError(EXIT.unexpected, String(cause), failureOf(error).message, error);
  if (error instanceof DOMException && error.name === 'AbortError') {
    return new CliError(EXIT.interrupted, 'interrupted', INTERRUPTED, error);
  }
  if (error instanceof ConnectionError) {
    const { code, message } = error;
    if (code === 'aborted') return new CliError(EXIT.interrupted, 'interrupted', INTERRUPTED, error);
    return new CliError(EXIT.service, code, `${printable(message)}. ${adviceOn(error)}`, error);
  }
  if (!(error instanceof ApiError)) return undefined;
  const { status, code, message } = error;
  if (code === 'insufficient_credits')
    return new CliError(EXIT.credits, code, `${printable(message)}. ${MORE_CREDITS}`, error);
  const isUnusable = [401, 403, 429, 503, 507].includes(status) || code === 'bad_response' || code === 'not_found';
  return isUnusable ? new CliError(EXIT.service, code, `The service says: ${printable(message)}`, error) : undefined;
}

/** Tests whether an upload was larger than the service, or a gateway in front of it, accepts. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof ApiError && ([408, 413].includes(error.status) || error.code === 'too_many_files');
}

/** Returns the reason an image was not made, in one line unless the program wrote it itself. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CliError) return { code: error.code, message: error.message };
  if (error instanceof ApiError || error instanceof ConnectionError) {
    return { code: error.code, message: printable(error.message) };
  }
  const { code = 'unexpected', message } = error as NodeJS.ErrnoException;
  return { code, message: printable(message) };
}
