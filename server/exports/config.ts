import { z } from 'zod';

const integer = (min: number, max: number) => z.coerce.number().int().min(min).max(max);

/** The environment variables that steer exports; keys are the variables' names. */
export const exportsConfig = z.object({
  VARIANT_CACHE_HOURS: integer(0, 8760)
    .default(48)
    .describe('Hours after its last use that an encoded file is kept for equal requests.'),
  VARIANT_CACHE_MB: integer(0, 10_000_000)
    .default(5000)
    .describe('Most disk space for encoded files kept for equal requests, in megabytes.'),
});

/** The export settings after parsing. */
export type ExportsConfig = z.output<typeof exportsConfig>;
