import { z } from 'zod';

/** Log levels, most verbose first. */
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Settings of logging, by environment variable. */
export const observabilityConfig = z.object({
  LOG_LEVEL: z.enum(LOG_LEVELS).default('info').describe('Log lines below this level are not written.'),
  LOG_FORMAT: z
    .enum(['json', 'pretty'])
    .default(() => (process.stdout.isTTY ? 'pretty' : 'json'))
    .describe('`json`: one JSON object per line. `pretty`: readable lines. Default: pretty on a terminal, else json.'),
});

/** Parsed settings of logging. */
export type ObservabilityConfig = z.output<typeof observabilityConfig>;
