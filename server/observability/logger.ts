import { type DestinationStream, destination, type Logger, pino, stdSerializers } from 'pino';
import type { ObservabilityConfig } from './config.ts';
import { maskSecrets } from './mask-secrets.ts';
import { prettyLine } from './pretty-line.ts';

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
