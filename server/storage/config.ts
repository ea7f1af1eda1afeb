import { z } from 'zod';

/** Environment variables of file storage; keys are the variables' names. */
export const storageConfig = z.object({
  DATA_DIR: z.string().default('./data').describe('Directory for everything the service keeps.'),
});

/** The storage settings after parsing. */
export type StorageConfig = z.output<typeof storageConfig>;
