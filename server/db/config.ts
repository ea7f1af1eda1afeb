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
});
