import { z } from 'zod';

/** Environment variables of the database; keys are the variables' names. */
export const dbConfig = z.object({
  MONGODB_URI: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\//, 'expected a connection string that starts with mongodb:// or mongodb+srv://')
    .optional()
    .describe(
      'MongoDB 6.0 or newer to use, with users and TLS as its connection string says. Default: an embedded database below `DATA_DIR`.',
    ),
  DATABASE_WAIT_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .max(86_400)
    .default(300)
    .describe(
      'Longest wait at the start for a MongoDB that is not there yet: nothing listens, its name is unknown, or no member is primary. Meanwhile `/healthz` answers 200 and `/readyz` 503.',
    ),
});
