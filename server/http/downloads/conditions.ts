import type { Context } from 'koa';
import { AppError } from '../../errors.ts';

const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;
const SHOWN_CHARACTERS = 100;

/**
 * Compares `If-Match` with the tag of the stored bytes; weak tags never match (RFC 9110, 13.1.1). `If-Unmodified-Since` is
 * ignored, since no `Last-Modified` is sent (13.1.4).
 * @param etag with its quotes
 * @throws AppError precondition_failed
 */
export function requireMatch(ctx: Context, etag: string): void {
  const wanted = ctx.get('If-Match');
  if (wanted === '' || wanted.trim() === '*' || wanted.match(ENTITY_TAG)?.includes(etag)) return;
  const received = wanted.length > SHOWN_CHARACTERS ? `${wanted.slice(0, SHOWN_CHARACTERS)}…` : wanted;
  throw new AppError('precondition_failed', `If-Match: expected ${etag} or *, but received ${received}`, {
    headers: { ETag: etag },
    details: { etag },
  });
}

/**
 * Returns true if the client has these bytes by its `If-None-Match` (RFC 9110, 13.1.2), also beside `Cache-Control: no-cache`, which
 * asks caches alone to come here.
 * @param etag with its quotes
 */
export function isUnchanged(ctx: Context, etag: string): boolean {
  const known = ctx.get('If-None-Match');
  if (known.trim() === '*') return true;
  return (known.match(ENTITY_TAG) ?? []).some((tag) => tag.replace(/^W\//, '') === etag);
}
