import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Context } from 'koa';

/** Sends a preview inline. An image never changes under its id, so the browser may keep it. */
export async function sendPreview(ctx: Context, file: string): Promise<void> {
  const { size } = await stat(file);
  ctx.type = 'image/webp';
  ctx.length = size;
  ctx.set({
    'Cache-Control': 'private, max-age=3600, immutable',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "sandbox; default-src 'none'",
  });
  ctx.body = createReadStream(file);
}
