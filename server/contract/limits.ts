import { z } from 'zod';
import { INPUT_FORMATS } from './constants/index.ts';

/** `GET /v1/limits`. */
export const limitsSchema = z
  .object({
    maxFileBytes: z.int().describe('Largest single file, in bytes.'),
    maxPixels: z.int().describe('Most pixels of an image, over all its frames.'),
    maxImagesPerSession: z.int().describe('Most images in one session.'),
    formats: z.array(z.enum(INPUT_FORMATS)).describe('Formats that uploads may have.'),
    sessionHours: z.int().describe('Hours that a session and its files are kept after the last use.'),
    describes: z
      .boolean()
      .describe('True if a vision model describes images; else the texts of an analysis come from the files alone.'),
  })
  .meta({ id: 'Limits' });
export type Limits = z.output<typeof limitsSchema>;
