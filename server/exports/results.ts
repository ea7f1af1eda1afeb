import {
  type ImageResult,
  pickFields,
  REQUEST_FIELDS,
  type Settings,
  type Summary,
  type Warning,
  warning,
} from '#contract';
import type { EncodedFormat } from '#contract/constants';
import type { CachedVariantRecord, ImageRecord, JobImage, OutputFile } from '../db/index.ts';
import { lacksOf, mergeWarnings, mimeTypeOf, qualityOf } from '../processing/index.ts';
import { locationOf } from './file-names.ts';
import { mainFormat } from './prepare-job.ts';

/** Share of `original` that was saved, in percent with one decimal; negative when it grew. */
function savedPercent(original: number, saved: number): number {
  return original === 0 ? 0 : Math.round((saved / original) * 1000) / 10;
}

function resultOf(image: ImageRecord, format: EncodedFormat) {
  return {
    imageId: image._id,
    clientRef: image.clientRef,
    originalFilename: image.originalFilename,
    format,
    original: {
      size: image.size,
      sha256: image.sha256,
      width: image.width,
      height: image.height,
      format: image.format,
    },
    creditsCharged: 0,
  };
}

/** The result of an image whose files are published: at least one. `files` and `records` are in the order of the variants. */
export function completedResult(input: {
  image: ImageRecord;
  requested: JobImage;
  settings: Settings;
  namespace: string;
  files: OutputFile[];
  records: CachedVariantRecord[];
  skippedSizes: number[];
  fromCache: boolean;
  /** Of the image, beside those of its files. */
  warnings: Warning[];
  placeholder: string | undefined;
}): ImageResult {
  const { image, requested, settings, namespace, files, records, skippedSizes, fromCache, placeholder } = input;
  const place = files.findIndex(({ variant }) => variant === 'full');
  const full = records[place];
  const shown = (full ?? records[0]) as CachedVariantRecord;
  const savedBytes = full ? image.size - full.size : 0;
  const warnings = mergeWarnings([...warningsOf(image, requested, settings), ...input.warnings], records);
  return {
    ...resultOf(image, shown.format),
    metadata: pickFields(requested, REQUEST_FIELDS),
    status: 'completed',
    filename: files[place]?.filename ?? null,
    mimeType: shown.mimeType,
    variants: files.map((file, index) => ({
      name: file.variant,
      ...(records[index] ? { format: records[index].format } : {}),
      ...locationOf(namespace, file.filename, file.sha256),
      size: file.size,
      width: file.width,
      height: file.height,
      sha256: file.sha256,
      quality: qualityOf(settings, records[index]),
      ...(records[index] ? lacksOf(records[index]) : {}),
    })),
    ...(requested.focalPoint ? { focalPoint: requested.focalPoint } : {}),
    ...(placeholder === undefined ? {} : { placeholder }),
    savedBytes,
    savedPercent: savedPercent(image.size, savedBytes),
    quality: qualityOf(settings, shown),
    largerThanOriginal: savedBytes < 0,
    keptOriginal: full?.keptOriginal ?? false,
    fromCache,
    skippedSizes,
    warnings,
    error: null,
  };
}

/** Parts of a request that lead to warnings. */
type RequestedTexts = Pick<JobImage, 'unknownFields' | 'isOtherLanguage'>;

function warningsOf(
  image: ImageRecord,
  { unknownFields, isOtherLanguage }: RequestedTexts,
  { responsive, responsiveSizes }: Settings,
): Warning[] {
  return [
    ...image.warnings,
    ...(unknownFields ? [warning('unknown_field', unknownFields.join(', '))] : []),
    ...(isOtherLanguage ? [warning('other_language')] : []),
    ...(responsiveSizes?.length && !responsive ? [warning('sizes_ignored')] : []),
  ];
}

/** The result of an image that gains too little: no file is smaller than the one it would replace, or not by enough. */
export function resultWithoutGain(input: {
  image: ImageRecord;
  requested: JobImage;
  settings: Settings;
  /** Of files that are smaller. */
  records: CachedVariantRecord[];
  fromCache: boolean;
  skippedSizes: number[];
}): ImageResult {
  const { image, requested, settings, records, fromCache, skippedSizes } = input;
  return {
    ...resultOf(image, mainFormat(settings, image.format)),
    ...NO_FILES,
    metadata: pickFields(requested, REQUEST_FIELDS),
    status: 'completed',
    mimeType: mimeTypeOf(mainFormat(settings, image.format)),
    quality: qualityOf(settings, undefined),
    fromCache,
    skippedSizes,
    warnings: [...mergeWarnings(warningsOf(image, requested, settings), records), warning('no_gain')],
    error: null,
  };
}

/** Fields of a result without files. */
const NO_FILES = {
  filename: null,
  variants: [],
  savedBytes: 0,
  savedPercent: 0,
  largerThanOriginal: false,
  keptOriginal: false,
};

/** The result of an image that could not be exported. */
export function failedResult(
  image: ImageRecord,
  requested: RequestedTexts,
  settings: Settings,
  error: { code: string; message: string },
): ImageResult {
  return {
    ...resultOf(image, mainFormat(settings, image.format)),
    ...NO_FILES,
    status: 'failed',
    mimeType: mimeTypeOf(mainFormat(settings, image.format)),
    quality: qualityOf(settings, undefined),
    fromCache: false,
    skippedSizes: [],
    warnings: warningsOf(image, requested, settings),
    error,
  };
}

/** Sums over the results of a job. */
export function summarize(results: ImageResult[], durationMs: number): Summary {
  const completed = results.filter((result) => result.status === 'completed');
  // Of an image without a `full` file, the size that it has afterwards is unknown.
  const sizes = completed.flatMap(({ original, variants }) => {
    const full = variants.find(({ name }) => name === 'full');
    return full ? [{ before: original.size, after: full.size }] : [];
  });
  const originalBytes = sizes.reduce((sum, { before }) => sum + before, 0);
  const outputBytes = sizes.reduce((sum, { after }) => sum + after, 0);
  return {
    total: results.length,
    completed: completed.length,
    failed: results.length - completed.length,
    originalBytes,
    outputBytes,
    savedBytes: originalBytes - outputBytes,
    savedPercent: savedPercent(originalBytes, originalBytes - outputBytes),
    quality: scoresOf(completed),
    durationMs,
  };
}

/** Lowest and mean score of all files, with one decimal; null if none has a score. */
function scoresOf(results: ImageResult[]): Summary['quality'] {
  const scores = results.flatMap(({ variants }) => variants.flatMap(({ quality }) => quality?.score ?? []));
  if (scores.length === 0) return null;
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  return { worst: Math.min(...scores), mean: Math.round(mean * 10) / 10 };
}
