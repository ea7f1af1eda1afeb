import { z } from 'zod';

/** Levels of log lines, from the most to the least talkative. */
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** The environment variables that steer logging; keys are the variables' names. */
export const observabilityConfig = z.object({
  LOG_LEVEL: z.enum(LOG_LEVELS).default('info').describe('Log lines below this level are not written.'),
  LOG_FORMAT: z
    .enum(['json', 'pretty'])
    .default(() => (process.stdout.isTTY ? 'pretty' : 'json'))
    .describe('One JSON object a line, or a line for people. Default: pretty on a terminal, else json.'),
});

/** The logging settings after parsing. */
export type ObservabilityConfig = z.output<typeof observabilityConfig>;
