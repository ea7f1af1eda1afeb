import type { IncomingMessage } from 'node:http';
import type { Uploaded } from '../cms-host.ts';
import type { SentReplacement } from '../remote-host.ts';

/** Largest body of a call, in bytes: texts and addresses, no files. */
const LARGEST_BODY = 1 << 20;

/** A call whose form is wrong. Its message names the field, what was expected and what was received. */
export class MalformedCall extends Error {
  override readonly name = 'MalformedCall';
  readonly status: 400 | 413;

  constructor(message: string, status: 400 | 413 = 400) {
    super(message);
    this.status = status;
  }
}

type Fields = Record<string, unknown>;

/** Decodes the id of an image in an address. @throws MalformedCall */
export function imageIdOf(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new MalformedCall('The id of the image is no text in UTF-8, escaped for an address.');
  }
}

/** Reads a body as JSON; an empty one is an empty object. @throws MalformedCall if it is too long, or no object */
export async function readBody(req: IncomingMessage): Promise<Fields> {
  let text = '';
  for await (const chunk of req.setEncoding('utf8')) {
    text += chunk;
    if (text.length > LARGEST_BODY) {
      throw new MalformedCall(`The body is too long: expected at most ${LARGEST_BODY} characters.`, 413);
    }
  }
  let body: unknown;
  try {
    body = JSON.parse(text || '{}');
  } catch {
    throw new MalformedCall('The body is not JSON.');
  }
  requireObject(body, 'The body');
  return body;
}

/** Returns what a check is asked for. @throws MalformedCall */
export function uploadedOf({ uploaded }: Fields): { uploaded?: Uploaded } {
  if (uploaded === undefined || uploaded === null) return {};
  requireUploaded(uploaded, 'uploaded');
  return { uploaded };
}

/** Returns a replacement as `createRemoteHost` sends it. @throws MalformedCall */
export function sentReplacementOf(body: Fields): SentReplacement {
  const { variants, original, metadata = null, settings } = body;
  requireUploaded(original, 'original');
  if (metadata !== null) requireObject(metadata, 'metadata');
  if (settings !== undefined) requireObject(settings, 'settings');
  if (!Array.isArray(variants)) throw unexpected('variants', 'a list', variants);
  for (const [index, variant] of variants.entries()) {
    const name = `variants[${index}]`;
    requireObject(variant, name);
    for (const field of ['name', 'filename', 'sha256', 'url']) requireType(variant, field, { name, type: 'string' });
    for (const field of ['width', 'size']) requireType(variant, field, { name, type: 'number' });
  }
  return { ...body, metadata } as SentReplacement;
}

function requireUploaded(value: unknown, name: string): asserts value is Uploaded {
  requireObject(value, name);
  requireType(value, 'size', { name, type: 'number' });
  if (value.sha256 !== undefined) requireType(value, 'sha256', { name, type: 'string' });
}

function requireObject(value: unknown, name: string): asserts value is Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unexpected(name, 'an object', value);
}

function requireType(fields: Fields, field: string, { name, type }: { name: string; type: 'string' | 'number' }): void {
  const value = fields[field];
  if (typeof value === type) return;
  throw unexpected(`${name}.${field}`, type === 'string' ? 'a text' : 'a number', value);
}

function unexpected(name: string, expected: string, value: unknown): MalformedCall {
  const received = value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value;
  return new MalformedCall(`${name}: expected ${expected}, but received ${received}.`);
}
