import { z } from 'zod';
import { INPUT_FORMATS } from './constants/index.ts';
import { namedEnum } from './named-enum.ts';

/**
 * Fields of requests that came after 0.1.0, e.g. `settings.grain`. Clients send them only where `GET /v1/limits` names them, since older
 * services refuse what they do not know.
 */
export const LATER_FIELDS: readonly string[] = [];

/** `GET /v1/limits`. */
export const limitsSchema = z
  .object({
    maxFileBytes: z.int().describe('Largest single file, in bytes.'),
    maxPixels: z.int().describe('Most pixels of an image, over all its frames.'),
    maxImagesPerSession: z.int().describe('Most images in one session.'),
    formats: z.array(namedEnum('InputFormat', INPUT_FORMATS)).describe('Formats that uploads may have.'),
    sessionHours: z.int().describe('Hours that a session and its files are kept after the last use.'),
    describes: z
      .boolean()
      .describe('True if a vision model describes images; else the texts of an analysis come from the files alone.'),
    requestFields: z
      .array(z.string())
      .optional()
      .describe(
        'Fields of requests that came after version 0.1.0, e.g. `settings.grain`. Absent in answers of earlier versions.',
      ),
  })
  .meta({ id: 'Limits' });
export type Limits = z.output<typeof limitsSchema>;
