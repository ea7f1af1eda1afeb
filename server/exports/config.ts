import { z } from 'zod';
import { integerText } from '#contract';

/** The environment variables that steer exports; keys are the variables' names. */
export const exportsConfig = z.object({
  VARIANT_CACHE_HOURS: integerText(0, 8760)
    .default(48)
    .describe('Hours after its last use that an encoded file is kept for equal requests.'),
  VARIANT_CACHE_MB: integerText(0, 10_000_000)
    .default(5000)
    .describe('Most disk space for encoded files kept for equal requests, in megabytes.'),
});

/** The export settings after parsing. */
export type ExportsConfig = z.output<typeof exportsConfig>;
