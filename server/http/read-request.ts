import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import type { z } from 'zod';
import { withAbort } from '../concurrency.ts';
import { AppError } from '../errors.ts';
import { drainRequest, inviteBody, slowBodySignal } from './client-limits.ts';
import { parseJson } from './parse-json.ts';

const JSON_TYPE = /^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
const SHOWN_CHARACTERS = 100;
/** Most levels of lists and objects in a body: deeper ones exceed the stack of whatever walks through them. */
const MOST_LEVELS = 100;
/** Rest of a refused body that is read and discarded, in bytes; a longer one closes the connection. */
const MOST_DRAINED = 10_000_000;

/** Reads a JSON body of at most `limitKb` kilobytes, counted after decompression. */
export function createJsonBody({ limitKb }: { limitKb: number }) {
  const limit = limitKb * 1024;
  const readText = koaBody({
    json: false,
    multipart: false,
    urlencoded: false,
    text: true,
    // The parser treats a type that is not on its list as a request without a body.
    textTypes: ['json', '+json'],
    textLimit: limit,
    // One character a byte: its own decoder would replace what is not UTF-8.
    encoding: 'latin1',
    onError: (error) => {
      throw error;
    },
  });

  /** @throws unsupported_media_type, invalid_json, invalid_request, request_too_large, request_timeout */
  return async function readJson(ctx: Context): Promise<unknown> {
    if (!JSON_TYPE.test(ctx.get('Content-Type'))) throw noJson(ctx);
    try {
      if (Number(ctx.get('Content-Length')) > limit) throw tooLarge(limitKb);
      inviteBody(ctx.req, ctx.res);
      await withAbort(readText(ctx as never, async () => {}) as Promise<unknown>, slowBodySignal(ctx.req));
    } catch (error) {
      // The parser leaves the request paused, which would block the connection.
      ctx.req.unpipe();
      drainRequest(ctx.req, MOST_DRAINED);
      const { complete, destroyed } = ctx.req;
      const isCut = destroyed && (!complete || (error as { type?: string }).type === 'stream.not.readable');
      throw isCut ? cutOff(error) : toAppError(error, limitKb);
    }
    const bytes: unknown = ctx.request.body;
    // A missing body counts as `{}`, a body of an unreadable type does not.
    if (bytes === undefined && ctx.request.is() !== null) throw noJson(ctx);
    if (typeof bytes !== 'string' || bytes === '') return {};
    const body = parseJson(Buffer.from(bytes, 'latin1'));
    if (isTooDeep(body))
      throw new AppError('invalid_request', `body: expected at most ${MOST_LEVELS} levels of lists and objects`);
    return body;
  };
}

function isTooDeep(body: unknown): boolean {
  let level = [body];
  for (let levels = 0; levels <= MOST_LEVELS; levels += 1) {
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
    if (level.length === 0) return false;
  }
  return true;
}

function noJson(ctx: Context): AppError {
  const type = ctx.get('Content-Type').slice(0, SHOWN_CHARACTERS) || 'none';
  return new AppError('unsupported_media_type', `Content-Type: expected application/json, but received ${type}`);
}

/** Creates the error of a connection that ended, or sent invalid HTTP, before the body was complete. */
function cutOff(cause: unknown): AppError {
  return new AppError('invalid_json', 'The connection ended before the body was read', { cause });
}

function tooLarge(limitKb: number): AppError {
  return new AppError('request_too_large', `A JSON body may have at most ${limitKb} kilobytes`, {
    details: { limit: limitKb * 1024 },
  });
}

function toAppError(error: unknown, limitKb: number): unknown {
  if (error instanceof AppError) return error;
  const { status, type, message = '' } = (error ?? {}) as { status?: number; type?: string; message?: string };
  if (status === 413) return tooLarge(limitKb);
  if (status === 415)
    return new AppError('unsupported_media_type', 'The Content-Encoding of the body is not supported');
  if (type === 'request.aborted' || status === 400) {
    return new AppError('invalid_json', `The body is not valid JSON: ${message.slice(0, 120)}`, { cause: error });
  }
  // Errors of zlib: the bytes do not match the Content-Encoding.
  const code = String((error as { code?: unknown })?.code ?? '');
  if (code.startsWith('Z_') || code.startsWith('ERR_')) {
    return new AppError('invalid_json', 'The body cannot be decompressed', { cause: error });
  }
  return error;
}

const SHOWN_VALUE = 60;
/** Bounds the response to a list of 100,000 invalid elements. */
const SHOWN_ISSUES = 20;

/**
 * Parses one part of a request with its schema.
 * @param where name of the part in messages, e.g. `body`
 * @throws invalid_request with `errors`: messages by field, each with the expected and the received value
 */
export function validate<T>(schema: z.ZodType<T>, value: unknown, where: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors: Record<string, string[]> = {};
  for (const issue of parsed.error.issues.slice(0, SHOWN_ISSUES)) {
    const field = issue.path.length > 0 ? issue.path.map(String).join('.') : where;
    const list = errors[field] ?? [];
    const text = expected(issue);
    const isComplete = issue.code === 'unrecognized_keys' || text.includes(' received ');
    list.push(isComplete ? text : `${text}${received(value, issue.path)}`);
    errors[field] = list;
  }
  const [field = where, messages = []] = Object.entries(errors)[0] ?? [];
  throw new AppError('invalid_request', `${field}: ${messages[0] ?? 'is not as expected'}`, { details: { errors } });
}

/**
 * Describes the expected value, without zod's prefix and received type. For a union, describes the branches that match
 * the type of the value, or all if none does.
 */
function expected(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const first = issue.errors.flatMap((branch) => branch.slice(0, 1));
    const inside = first.filter(({ path }) => path.length > 0);
    const texts = (inside.length > 0 ? inside : first).map((one) =>
      [...one.path.map(String), expected(one)].join(': '),
    );
    return [...new Set(texts)].join(', or ');
  }
  return issue.message.replace(/^(Invalid \w+|Too \w+): /, '').replace(/(?<!but), received \w+$/, '');
}

/** Returns `, but received …` in one short line. Lists and objects are not printed, since they may be deeply nested. */
function received(root: unknown, path: PropertyKey[]): string {
  let value = root;
  for (const key of path) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[key];
  if (value === undefined) return ', but received nothing';
  if (Array.isArray(value)) return `, but received a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return ', but received an object';
  const text = JSON.stringify(value) ?? String(value);
  return `, but received ${text.length > SHOWN_VALUE ? `${text.slice(0, SHOWN_VALUE)}…` : text}`;
}
