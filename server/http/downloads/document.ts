import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { Context } from 'koa';
import type { OpenApiDocument } from '#contract';
import type { Services } from '../handlers.ts';
import { isUnchanged, requireMatch } from './conditions.ts';

/** A public document that does not change while the service runs. */
export interface PublicDocument {
  /** Media type, with the charset if it has one. */
  type: string;
  read: () => Promise<Buffer>;
  /** `Cache-Control`. @default clients ask each time whether their copy is current */
  caching?: string;
}

interface EncodedDocument {
  body: Buffer;
  etag: string;
}

const COMPRESSIBLE = /^(text\/|application\/json|image\/svg)/;

/**
 * Creates the handler of a document: a strong validator for each encoding, conditional requests, brotli or gzip for text.
 * Each encoding is compressed once, when it is first asked for.
 */
export function createDocument({ type, read, caching = 'public, no-cache' }: PublicDocument) {
  const encoded = new Map<string, Promise<EncodedDocument>>();
  return async (ctx: Context): Promise<void> => {
    const encoding = chooseEncoding(ctx, type);
    const pending = encoded.get(encoding) ?? encode(read, encoding);
    encoded.set(encoding, pending);
    // The next request retries a file that could not be read.
    pending.catch(() => encoded.delete(encoding));
    const { body, etag } = await pending;
    requireMatch(ctx, etag);
    ctx.set({ ETag: etag, 'Cache-Control': caching });
    if (COMPRESSIBLE.test(type)) ctx.vary('Accept-Encoding');
    ctx.status = 200;
    if (isUnchanged(ctx, etag)) {
      ctx.status = 304;
      return;
    }
    if (encoding !== 'identity') ctx.set('Content-Encoding', encoding);
    ctx.set('Content-Type', type);
    ctx.body = body;
  };
}

/** Chooses the smallest encoding that the client accepts, whatever its weight. */
function chooseEncoding(ctx: Context, type: string): string {
  if (!COMPRESSIBLE.test(type)) return 'identity';
  return ['br', 'gzip'].find((encoding) => ctx.acceptsEncodings(encoding)) ?? 'identity';
}

async function encode(read: PublicDocument['read'], encoding: string): Promise<EncodedDocument> {
  const bytes = await read();
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 27);
  return { body: await compress(bytes, encoding), etag: `"${hash}${encoding === 'identity' ? '' : `-${encoding}`}"` };
}

async function compress(bytes: Buffer, encoding: string): Promise<Buffer> {
  if (encoding === 'gzip') return promisify(gzip)(bytes, { level: 9 });
  if (encoding !== 'br') return bytes;
  // At its highest quality: 0.4 s of the largest script, once, for 6 % fewer bytes.
  return promisify(brotliCompress)(bytes);
}

/**
 * Creates what sends the OpenAPI document, compressed and with a validator. It is built when it is first asked for: this
 * takes a fifth of the processor time of a start.
 */
export function createOpenApi(build: () => OpenApiDocument): Services['openApi'] {
  let built: OpenApiDocument | undefined;
  const document = () => {
    built ??= build();
    return built;
  };
  const read = async () => Buffer.from(JSON.stringify(document()));
  return { document, send: createDocument({ type: 'application/json; charset=utf-8', read }) };
}
