import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** What a request proves: its key, or the code of S3's refusal. */
export type Proof = { accessKeyId: string } | { code: string; status: number };

/** A key of a store. */
export interface StoreKey {
  secret: string;
  /** Token without which the key is not valid. */
  token?: string;
}

const MOST_SKEW_MS = 900_000;

/**
 * Checks the signature of a request by Amazon's description of Signature Version 4, in its header or its address, independently of
 * any client. Does not compare the hash of the body with the body.
 */
export function verifySignature(req: IncomingMessage, keys: Record<string, StoreKey>, region: string): Proof {
  const url = new URL(req.url ?? '/', 'http://host');
  const query = pairsOf(url.search);
  const presigned = new Map(query);
  const given = presigned.has('X-Amz-Signature') ? fromQuery(presigned) : fromHeader(req);
  if (!given) return { code: 'AccessDenied', status: 403 };
  const { credential, signedHeaders, signature, time, seconds, bodyHash, token } = given;
  const [accessKeyId = '', date = '', itsRegion = '', service = '', end = ''] = credential.split('/');
  const key = keys[accessKeyId];
  if (!key) return { code: 'InvalidAccessKeyId', status: 403 };
  if (itsRegion !== region || service !== 's3') return { code: 'AuthorizationHeaderMalformed', status: 400 };
  if (token !== key.token) return { code: 'InvalidToken', status: 400 };
  const age = Date.now() - Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!(Math.abs(age) < MOST_SKEW_MS)) return { code: 'RequestTimeTooSkewed', status: 403 };
  if (seconds !== undefined && age > seconds * 1000) return { code: 'AccessDenied', status: 403 };
  const canonical = [
    req.method,
    url.pathname
      .split('/')
      .map((part) => encode(decodeURIComponent(part)))
      .join('/'),
    canonicalQuery(query),
    ...signedHeaders.map(
      (name) =>
        `${name}:${String(req.headers[name] ?? '')
          .trim()
          .replace(/ +/g, ' ')}`,
    ),
    '',
    signedHeaders.join(';'),
    bodyHash,
  ].join('\n');
  const scope = [date, itsRegion, service, end].join('/');
  const toSign = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
  const signer = [date, itsRegion, service, end].reduce<Buffer | string>(hmac, `AWS4${key.secret}`);
  const expected = hmac(signer, toSign);
  const received = Buffer.from(signature, 'hex');
  if (received.length !== expected.length || !timingSafeEqual(received, expected) || !signedHeaders.includes('host'))
    return { code: 'SignatureDoesNotMatch', status: 403 };
  return { accessKeyId };
}

function fromHeader({ headers }: IncomingMessage) {
  const [, credential = '', names = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]+)$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  if (signature === '') return null;
  const of = (name: string) => headers[name] as string | undefined;
  const token = of('x-amz-security-token');
  const time = of('x-amz-date') ?? '';
  const bodyHash = of('x-amz-content-sha256') ?? '';
  return { credential, signedHeaders: names.split(';'), signature, time, seconds: undefined, bodyHash, token };
}

function fromQuery(query: Map<string, string>) {
  const of = (name: string) => query.get(name) ?? '';
  return {
    credential: of('X-Amz-Credential'),
    signedHeaders: of('X-Amz-SignedHeaders').split(';'),
    signature: of('X-Amz-Signature'),
    time: of('X-Amz-Date'),
    seconds: Number(of('X-Amz-Expires')),
    bodyHash: query.get('X-Amz-Content-Sha256') ?? 'UNSIGNED-PAYLOAD',
    token: query.get('X-Amz-Security-Token'),
  };
}

/** Names and values of a query, decoded once; `+` is a plus. */
function pairsOf(search: string): [string, string][] {
  return search
    .slice(1)
    .split('&')
    .filter(Boolean)
    .map((part) => {
      const at = part.includes('=') ? part.indexOf('=') : part.length;
      return [decodeURIComponent(part.slice(0, at)), decodeURIComponent(part.slice(at + 1))];
    });
}

function canonicalQuery(pairs: [string, string][]): string {
  return pairs
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
}

/** All but `A-Z a-z 0-9 - . _ ~` is encoded, which `encodeURIComponent` does not do for five characters. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
