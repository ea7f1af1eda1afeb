import { type DestinationStream, destination, type Logger, pino, stdSerializers } from 'pino';
import { newId } from '../ids.ts';
import type { ObservabilityConfig } from './config.ts';

export type { Logger } from 'pino';

/** Options of {@link createLogger}. */
export interface LoggerOptions {
  level: ObservabilityConfig['LOG_LEVEL'];
  format: ObservabilityConfig['LOG_FORMAT'];
  /** Receives finished lines. @default standard output */
  destination?: DestinationStream;
}

/** Creates the logger. It masks API keys and credentials in every line, also of child loggers. */
export function createLogger({ level, format, destination: target = standardOutput() }: LoggerOptions): Logger {
  const write = (line: string) => {
    const masked = maskSecrets(line);
    target.write(format === 'pretty' ? prettyLine(masked) : masked);
  };
  const serializers = { err: stdSerializers.err, error: stdSerializers.err };
  return pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime, serializers }, { write });
}

/** Synchronous, so that the last lines before an exit are not lost. */
function standardOutput(): DestinationStream {
  return destination({ fd: 1, sync: true });
}

const API_KEY = /iw_[0-9A-Za-z]{32}([0-9A-Za-z]{4})/g;
/** Token of a browser session, a one-time link, a page or a link to a session. */
const TOKEN = /(iw[sltv])_[0-9A-Za-z]{43}/g;
/** Password in the URL of a server. */
const URL_PASSWORD = /([a-z][a-z0-9+.-]*:\/\/[^\s/:@"]*:)[^\s/@"]+@/gi;
const STRING = String.raw`"(?:[^"\\]|\\.)*"`;
const SECRET_FIELD = new RegExp(
  String.raw`("(?:x-api-key|x-share-token|authorization|proxy-authorization|cookie|set-cookie)":)(?:${STRING}|\[(?:${STRING},?)*\])`,
  'gi',
);

/**
 * Masks secrets in a log line: API keys except for their last 4 characters, tokens of browser sessions, links and pages,
 * passwords in URLs, and the values of headers with credentials at any depth. Works on the finished JSON line, so it
 * covers every way of logging.
 */
function maskSecrets(line: string): string {
  return line
    .replace(SECRET_FIELD, '$1"[redacted]"')
    .replace(API_KEY, 'iw_…$1')
    .replace(TOKEN, '$1_…')
    .replace(URL_PASSWORD, '$1…@');
}

const LEVELS: Record<number, string> = { 10: 'TRACE', 20: 'DEBUG', 30: 'INFO ', 40: 'WARN ', 50: 'ERROR', 60: 'FATAL' };
const FIXED_FIELDS = new Set(['level', 'time', 'msg', 'err', 'error']);

/** Formats a JSON log line as time, level, message and `field=value` pairs, with the stack of an error below. */
function prettyLine(line: string): string {
  const entry = parse(line);
  if (!entry) return line;
  const time = new Date(entry.time as number | string).toISOString().slice(11, 23);
  const fields = Object.entries(entry)
    .filter(([name]) => !FIXED_FIELDS.has(name))
    .map(([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const head = `${time} ${LEVELS[entry.level as number] ?? entry.level} ${entry.msg ?? ''}${fields.join('')}\n`;
  return head + errorLines(entry.err ?? entry.error);
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function errorLines(error: unknown): string {
  if (error === undefined) return '';
  const { stack, message } = (error ?? {}) as { stack?: string; message?: string };
  const text = stack ?? message ?? JSON.stringify(error);
  return `${text.replace(/^/gm, '    ')}\n`;
}

/** Generates the id of a request, which its log lines and error responses contain. */
export const newRequestId = () => newId('req');
