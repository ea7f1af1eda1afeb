import type { Context } from 'koa';
import type { DownloadAddress } from '#contract';
import { DOWNLOAD_ADDRESS_TYPE } from '#contract/constants';
import type { FoundFile } from '../../exports/index.ts';
import type { Services } from '../handlers.ts';
import { dispositionOf, sendFile } from './send-file.ts';

/** Sends an exported file, or says where the store has it: by a redirect, or as JSON to a client that accepts it. */
export async function sendFound(
  ctx: Context,
  { file, lastsSeconds }: FoundFile,
  { store, downloads, exports }: Services,
) {
  const { path: key, size, filename, mimeType, sha256 } = file;
  // The store knows neither the hash as a validator nor, by the signature of a GET, another method.
  const isPlainGet = ctx.method === 'GET' && !ctx.get('If-None-Match') && !ctx.get('If-Match');
  const how = { mimeType, disposition: dispositionOf({ filename }) };
  if (downloads === 'redirect') ctx.vary('Accept');
  const url = downloads === 'redirect' && isPlainGet && (await store.urlOf(key, how));
  if (!url) return sendFile(ctx, { ...file, key, etag: sha256, lastsSeconds, onDamaged: exports.noteDamaged }, store);
  ctx.set('Cache-Control', 'private, no-store');
  if (!ctx.get('Accept').includes(DOWNLOAD_ADDRESS_TYPE)) return ctx.redirect(url.address);
  const address: DownloadAddress = {
    url: url.address,
    expiresAt: url.expiresAt.toISOString(),
    filename,
    mimeType,
    size,
    sha256,
  };
  ctx.body = JSON.stringify(address);
  ctx.type = DOWNLOAD_ADDRESS_TYPE;
}
