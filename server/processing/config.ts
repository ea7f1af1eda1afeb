import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { integerText } from '#contract';
import { DEFAULT_INPUT_FORMATS, INPUT_FORMATS, type InputFormat } from '#contract/constants';
import { defaultWorkers } from './memory.ts';

/** Environment variables of image processing; keys are the variables' names. */
export const processingConfig = z.object({
  WORKERS: integerText(1, 256)
    .default(() => defaultWorkers(availableParallelism()))
    .describe('Child processes that encode images. Default: one per core, fewer if memory is small.'),
  WORK_MEMORY_MB: integerText(64, 1_048_576)
    .optional()
    .describe(
      'Megabytes that all running encodes together may need by estimate; a larger image runs alone. Default: 90 % of the memory ' +
        'limit of the container, or half of the memory of the machine, without 300 for the service and 150 for each of `WORKERS`.',
    ),
  IMAGE_TIMEOUT_SECONDS: integerText(1, 3600)
    .default(600)
    .describe(
      'Seconds of processor time that one image of an export may take with all its formats and sizes, in all processes together, before ' +
        'they are killed. A process that stands still is killed after as many seconds by the clock, and five more.',
    ),
  MAX_PIXELS: integerText(1, 268_000_000)
    .default(50_000_000)
    .describe('Largest image accepted, in pixels over all frames that are decoded.'),
  MAX_FRAMES: integerText(1, 10_000).default(300).describe('Most frames an animation may have.'),
  MAX_AVIF_PIXELS: integerText(1, 268_000_000)
    .default(25_000_000)
    .describe('Largest AVIF written, in pixels; encoding takes about 30 bytes of memory a pixel.'),
  HEIC_INPUT: z
    .enum(['on', 'off'])
    .default('off')
    .describe(
      'On: uploads may be HEIC, as telephones make it; it is decoded by `libheif-js`, a package under the LGPL that is loaded only then. HEVC, its coding, is patented in some countries. Off: such files are refused with a message that says what to do.',
    ),
  QUALITY_SEARCH: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      'On: find for each image the encoder settings that keep the promise of the preset, and state the score that was reached. Off: the same number for all images, and no score; exports take less processor time and memory.',
    ),
  CONTENT_CREDENTIALS: z
    .enum(['off', 'sign'])
    .default('off')
    .describe(
      'Sign: files made of an upload with content credentials (C2PA) are signed, with the upload as their parent; see docs/content-credentials.md. Off: only a file that nothing is changed in keeps them.',
    ),
  CONTENT_CREDENTIALS_CERTIFICATE: z
    .string()
    .optional()
    .describe('Path of a PEM file for `CONTENT_CREDENTIALS=sign`: the signing certificate, then those of its issuers.'),
  CONTENT_CREDENTIALS_KEY: z
    .string()
    .optional()
    .describe('Path of the PEM file with the private key of that certificate, without a passphrase.'),
  PROBE_QUEUE_LIMIT: integerText(1, 100_000)
    .default(200)
    .describe('Headers of uploads that may wait to be read before new ones get a 503; of one account, a quarter.'),
});

/** Lists the formats that uploads may have. */
export function readableFormats({ HEIC_INPUT }: Pick<ProcessingConfig, 'HEIC_INPUT'>): InputFormat[] {
  return [...(HEIC_INPUT === 'on' ? INPUT_FORMATS : DEFAULT_INPUT_FORMATS)];
}

/** The processing settings after parsing. */
export type ProcessingConfig = z.output<typeof processingConfig>;
