import type { Context, Next } from 'koa';
import { AppError } from '../errors.ts';

const SHOWN_CHARACTERS = 100;

/**
 * Refuses messages that Node accepts and that a proxy may interpret differently: an invalid target, no `Host` or several
 * (RFC 9112, 3.2), an unsupported transfer coding (6.1).
 * @throws AppError invalid_request
 */
export async function checkMessage(ctx: Context, next: Next): Promise<void> {
  const fault = faultOf(ctx);
  if (fault === null) return next();
  throw new AppError('invalid_request', fault, { headers: { Connection: 'close' } });
}

function faultOf(ctx: Context): string | null {
  const { rawHeaders, httpVersion, headers, url = '' } = ctx.req;
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) return `Host: expected one, but received ${hosts || 'none'}`;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return `Transfer-Encoding: expected chunked, but received ${shown(coding)}`;
  return hasPath(ctx) ? null : `Expected a path or a URL behind ${ctx.method}, but received ${shown(url)}`;
}

function hasPath(ctx: Context): boolean {
  try {
    return typeof ctx.path === 'string';
  } catch {
    return false;
  }
}

function shown(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);
}
