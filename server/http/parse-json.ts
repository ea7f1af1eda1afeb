import { parse } from '@hapi/bourne';
import { AppError } from '../errors.ts';

/** Longest reason of the parser that is told. */
const SHOWN_REASON = 120;

/**
 * Parses the bytes of a JSON body, an object or a list. RFC 8259 (8.1) knows no other encoding than UTF-8, and a replacement
 * character would be stored instead of what was meant.
 * @throws AppError invalid_json
 */
export function parseJson(bytes: Buffer): unknown {
  const text = decodeUtf8(bytes);
  if (text === null) throw invalid('expected UTF-8, but received bytes that are none');
  if (!/^[\x20\t\r\n]*[[{]/.test(text)) throw invalid('expected an object or a list');
  try {
    return parse(text, { protoAction: 'error' });
  } catch (error) {
    throw invalid((error as Error).message.slice(0, SHOWN_REASON), error);
  }
}

/** Decodes UTF-8, with or without a byte order mark; null if it is none. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function invalid(reason: string, cause?: unknown): AppError {
  return new AppError('invalid_json', `The body is not valid JSON: ${reason}`, { cause });
}
