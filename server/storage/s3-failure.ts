import { NO_KEYS } from './s3-credentials.ts';
import type { TroubleCode } from './store-trouble.ts';

/** Fields of an error of Amazon's client, of its credentials, or of a connection. */
interface Failure {
  name?: string;
  code?: string;
  message?: string;
  cause?: unknown;
  $metadata?: { httpStatusCode?: number; clockSkewCorrected?: boolean };
  $response?: { statusCode?: number; headers?: Record<string, string> };
}

/** What a failed request means. */
export interface Understood {
  code: TroubleCode | 'missing';
  /** Public name of what came: S3's code, a status, or a code of the system. */
  sign: string;
  /** Another try may help. */
  isBrief: boolean;
}

const BY_NAME: Record<string, TroubleCode> = {
  InvalidAccessKeyId: 'unknown_key',
  AccessKeyDisabled: 'unknown_key',
  SignatureDoesNotMatch: 'wrong_secret',
  ExpiredToken: 'expired_credentials',
  InvalidToken: 'expired_credentials',
  TokenRefreshRequired: 'expired_credentials',
  RequestTimeTooSkewed: 'clock',
  AuthorizationHeaderMalformed: 'wrong_region',
  PermanentRedirect: 'wrong_region',
  IllegalLocationConstraintException: 'wrong_region',
  InvalidRegion: 'wrong_region',
  NoSuchBucket: 'no_bucket',
  InvalidBucketName: 'no_bucket',
  AccessDenied: 'access_denied',
  AccountProblem: 'access_denied',
  AllAccessDisabled: 'access_denied',
  InvalidStorageClass: 'storage_class',
  InvalidEncryptionAlgorithmError: 'encryption',
  ServerSideEncryptionConfigurationNotFoundError: 'encryption',
  XMinioStorageFull: 'full',
  InsufficientStorage: 'full',
  QuotaExceeded: 'full',
  XMinioAdminBucketQuotaExceeded: 'full',
};

const BY_SYSTEM: Record<string, TroubleCode> = {
  ENOTFOUND: 'unknown_host',
  EAI_AGAIN: 'unknown_host',
  ECONNREFUSED: 'nothing_listens',
  EPROTO: 'no_tls',
  ERR_SSL_WRONG_VERSION_NUMBER: 'no_tls',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'no_tls',
};

/** Codes with which the disk of this server fails; they are no matter of the store. */
const OWN_ERRNO = new Set(['ENOENT', 'ENOSPC', 'EDQUOT', 'EACCES', 'EIO', 'EMFILE', 'EROFS']);

/** Understands a failed request; null for a failure of this server's own disk. */
export function understand(error: unknown): Understood | null {
  const failures = chain(error);
  const withoutKeys = failures.find(({ name }) => name === NO_KEYS);
  if (withoutKeys) return { code: 'no_credentials', sign: withoutKeys.message ?? '', isBrief: false };
  const named = (code: TroubleCode, sign: string, isBrief = false) => ({ code, sign, isBrief });
  const status = failures.map((at) => at.$metadata?.httpStatusCode ?? at.$response?.statusCode).find(isStatus);
  const name = failures[0]?.name ?? '';
  if (status === undefined) return understandConnection(failures);
  const sign = BY_NAME[name] || /^[A-Z][A-Za-z]{3,60}$/.test(name) ? `${status} ${name}` : String(status);
  // The client has noticed the difference and signs the next request by the store's clock.
  if (failures.some((at) => at.$metadata?.clockSkewCorrected)) return named('clock', sign, true);
  const known = BY_NAME[name] ?? (/^KMS/.test(name) ? 'encryption' : undefined);
  if (known) return named(known, sign);
  if (status === 404) return isPage(failures) ? named('no_store', sign) : { code: 'missing', sign, isBrief: false };
  if (status === 507) return named('full', sign);
  if (status === 501 || status === 405) return named('no_store', sign);
  if (status >= 500 || status === 429 || status === 408) return named('away', sign, true);
  if (status === 301 || status === 307) return named('wrong_region', sign);
  if (status === 403 || status === 401) return named('access_denied', sign);
  // Without a code of S3 a gateway or another program has answered.
  return named(status < 400 || isPage(failures) || !isCode(name) ? 'no_store' : 'refused', sign);
}

const isStatus = (status: number | undefined) => status !== undefined && status >= 300;
const isCode = (name: string) => /^[A-Z][A-Za-z]+$/.test(name) && !/^(Unknown|Error$|SyntaxError|TypeError)/.test(name);

/** A request without a response. */
function understandConnection(failures: Failure[]): Understood | null {
  const system = failures.map(({ code }) => code).find((code) => typeof code === 'string') ?? '';
  if (OWN_ERRNO.has(system)) return null;
  if (isUntrusted(system)) return { code: 'untrusted', sign: system, isBrief: false };
  const code = BY_SYSTEM[system] ?? 'silent';
  const sign = system || (failures[0]?.name ?? 'no answer');
  return { code, sign, isBrief: code !== 'no_tls' };
}

function isUntrusted(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|HOSTNAME_MISMATCH/.test(code);
}

/** A page of HTML or a text in the place of S3's XML. */
function isPage(failures: Failure[]): boolean {
  const type = failures.map((at) => at.$response?.headers?.['content-type']).find(Boolean) ?? '';
  return /^text\/(html|plain)/i.test(type);
}

function chain(error: unknown): Failure[] {
  const found: Failure[] = [];
  for (let at = error as Failure | undefined; at && found.length < 8; at = at.cause as Failure | undefined)
    found.push(at);
  return found;
}
