import {
  type ImageResult,
  pickFields,
  REQUEST_FIELDS,
  type Settings,
  type Summary,
  type Warning,
  warning,
} from '#contract';
import { encodedFormat } from '#contract/constants';
import type { CachedVariantRecord, ImageRecord, JobImage, OutputFile } from '../db/index.ts';
import { mimeTypeOf } from '../processing/index.ts';

/** Share of `original` that was saved, in percent with one decimal; negative when it grew. */
function savedPercent(original: number, saved: number): number {
  return original === 0 ? 0 : Math.round((saved / original) * 1000) / 10;
}

function resultOf(image: ImageRecord, settings: Settings) {
  return {
    imageId: image._id,
    clientRef: image.clientRef,
    originalFilename: image.originalFilename,
    format: encodedFormat(settings.format, image.format),
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

/** The result of an image whose files are published. `files` and `records` are in the order of the variants. */
export function completedResult(input: {
  image: ImageRecord;
  asked: JobImage;
  settings: Settings;
  namespace: string;
  files: OutputFile[];
  records: CachedVariantRecord[];
  skippedSizes: number[];
  fromCache: boolean;
}): ImageResult {
  const { image, asked, settings, namespace, files, records, skippedSizes, fromCache } = input;
  const [full] = records;
  if (!full) throw new TypeError('a result needs the variant `full`');
  const savedBytes = image.size - full.size;
  const warnings = new Map(
    [...warningsOf(image, asked), ...records.flatMap((record) => record.warnings)].map((w) => [w.code, w]),
  );
  return {
    ...resultOf(image, settings),
    metadata: pickFields(asked, REQUEST_FIELDS),
    status: 'completed',
    filename: files[0]?.filename ?? null,
    mimeType: full.mimeType,
    variants: files.map((file) => ({
      name: file.variant,
      path: file.path,
      size: file.size,
      width: file.width,
      height: file.height,
      filename: file.filename,
      url: `/v1/sessions/${namespace}/download?filename=${encodeURIComponent(file.filename)}`,
      sha256: file.sha256,
    })),
    savedBytes,
    savedPercent: savedPercent(image.size, savedBytes),
    quality: { preset: settings.preset, used: full.quality },
    largerThanOriginal: savedBytes < 0,
    keptOriginal: full.keptOriginal,
    fromCache,
    skippedSizes,
    warnings: [...warnings.values()],
    error: null,
  };
}

function warningsOf(image: ImageRecord, { unknownFields }: Pick<JobImage, 'unknownFields'>): Warning[] {
  return unknownFields ? [...image.warnings, warning('unknown_field', unknownFields.join(', '))] : image.warnings;
}

/** The result of an image that could not be exported. */
export function failedResult(
  image: ImageRecord,
  asked: Pick<JobImage, 'unknownFields'>,
  settings: Settings,
  error: { code: string; message: string },
): ImageResult {
  return {
    ...resultOf(image, settings),
    status: 'failed',
    filename: null,
    mimeType: mimeTypeOf(encodedFormat(settings.format, image.format)),
    variants: [],
    savedBytes: 0,
    savedPercent: 0,
    quality: { preset: settings.preset, used: null },
    largerThanOriginal: false,
    keptOriginal: false,
    fromCache: false,
    skippedSizes: [],
    warnings: warningsOf(image, asked),
    error,
  };
}

/** Sums over the results of a job. */
export function summarize(results: ImageResult[], durationMs: number): Summary {
  const completed = results.filter((result) => result.status === 'completed');
  const originalBytes = completed.reduce((sum, result) => sum + result.original.size, 0);
  const outputBytes = completed.reduce((sum, result) => sum + (result.variants[0]?.size ?? 0), 0);
  return {
    total: results.length,
    completed: completed.length,
    failed: results.length - completed.length,
    originalBytes,
    outputBytes,
    savedBytes: originalBytes - outputBytes,
    savedPercent: savedPercent(originalBytes, originalBytes - outputBytes),
    durationMs,
  };
}
