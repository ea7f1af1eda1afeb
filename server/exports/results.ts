import { thumbHashToAverageRGBA } from 'thumbhash';
import {
  type ImageResult,
  pickFields,
  type Quality,
  REQUEST_FIELDS,
  type Settings,
  type Summary,
  type Variant,
  type Warning,
  warning,
} from '#contract';
import { type EncodedFormat, FORMATS, PRESET_TARGETS } from '#contract/constants';
import type { CachedVariantRecord, ImageRecord, JobImage, OutputFile } from '../db/index.ts';
import { mimeTypeOf } from '../processing/index.ts';
import { placeOf } from './file-names.ts';
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

/** Returns what was promised of a file, and what it is; undefined: no file was delivered. */
function qualityOf({ preset }: Settings, record: CachedVariantRecord | undefined): Quality {
  const target = PRESET_TARGETS[preset];
  if (!record) return { preset, target, score: null, used: null, unscored: 'no_file' };
  const { score, quality: used, reached } = record;
  return {
    ...{ preset, target, score, used },
    ...(reached ? {} : { reached }),
    ...(score === null ? { unscored: 'search_off' as const } : {}),
  };
}

/** The result of an image whose files are published: at least one. `files` and `records` are in the order of the variants. */
export function completedResult(input: {
  image: ImageRecord;
  asked: JobImage;
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
  const { image, asked, settings, namespace, files, records, skippedSizes, fromCache, placeholder } = input;
  const place = files.findIndex(({ variant }) => variant === 'full');
  const full = records[place];
  const shown = (full ?? records[0]) as CachedVariantRecord;
  const savedBytes = full ? image.size - full.size : 0;
  const warnings = new Map(
    [...warningsOf(image, asked, settings), ...input.warnings, ...records.flatMap((record) => record.warnings)].map(
      (w) => [w.code, w],
    ),
  );
  return {
    ...resultOf(image, shown.format),
    metadata: pickFields(asked, REQUEST_FIELDS),
    status: 'completed',
    filename: files[place]?.filename ?? null,
    mimeType: shown.mimeType,
    variants: files.map((file, index) => ({
      name: file.variant,
      ...(records[index] ? { format: records[index].format } : {}),
      ...placeOf(namespace, file.filename),
      size: file.size,
      width: file.width,
      height: file.height,
      sha256: file.sha256,
      quality: qualityOf(settings, records[index]),
    })),
    ...(asked.focalPoint ? { focalPoint: asked.focalPoint } : {}),
    ...(placeholder === undefined ? {} : { placeholder }),
    savedBytes,
    savedPercent: savedPercent(image.size, savedBytes),
    quality: qualityOf(settings, shown),
    largerThanOriginal: savedBytes < 0,
    keptOriginal: full?.keptOriginal ?? false,
    fromCache,
    skippedSizes,
    warnings: [...warnings.values()],
    error: null,
  };
}

/** Parts of a request that lead to warnings. */
type AskedTexts = Pick<JobImage, 'unknownFields' | 'isOtherLanguage'>;

function warningsOf(
  image: ImageRecord,
  { unknownFields, isOtherLanguage }: AskedTexts,
  { responsive, responsiveSizes }: Settings,
): Warning[] {
  return [
    ...image.warnings,
    ...(unknownFields ? [warning('unknown_field', unknownFields.join(', '))] : []),
    ...(isOtherLanguage ? [warning('other_language')] : []),
    ...(responsiveSizes?.length && !responsive ? [warning('sizes_ignored')] : []),
  ];
}

/** The result of an image of which no file is smaller than the one it would replace. */
export function resultWithoutGain(input: {
  image: ImageRecord;
  asked: JobImage;
  settings: Settings;
  fromCache: boolean;
  skippedSizes: number[];
}): ImageResult {
  const { image, asked, settings, fromCache, skippedSizes } = input;
  return {
    ...resultOf(image, mainFormat(settings, image.format)),
    ...NO_FILES,
    metadata: pickFields(asked, REQUEST_FIELDS),
    status: 'completed',
    mimeType: mimeTypeOf(mainFormat(settings, image.format)),
    quality: qualityOf(settings, undefined),
    fromCache,
    skippedSizes,
    warnings: [...warningsOf(image, asked, settings), warning('no_gain')],
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
  asked: AskedTexts,
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
    warnings: warningsOf(image, asked, settings),
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

/** Formats that not every browser shows, the smallest files first; a browser takes the first source that it knows. */
const MODERN: readonly string[] = ['avif', 'webp'];

/** The files of one format that show the whole image. */
interface Source {
  format: EncodedFormat;
  full: Variant;
  files: Variant[];
}

/**
 * Writes the HTML of an image's files: an `img`, or a `picture` of several formats with the most compatible one as its `img`. File names
 * are relative addresses.
 * @returns null without a whole-size file
 */
export function writeHtml({ variants, format, metadata, placeholder }: ImageResult): string | null {
  const sources = sourcesOf(variants, format);
  const image = sources.at(-1);
  if (!image) return null;
  const { width, height } = image.full;
  const sizes = `(max-width: ${width}px) 100vw, ${width}px`;
  const setOf = ({ files }: Source) =>
    attribute('srcset', files.map((each) => `${addressOf(each)} ${each.width}w`).join(', ')) +
    attribute('sizes', sizes);
  // An unknown text is left out: an empty one would say that the image is decoration.
  const alt = metadata?.alt == null ? '' : attribute('alt', metadata.alt);
  const title = metadata?.title ? attribute('title', metadata.title) : '';
  const img = [
    `<img${attribute('src', addressOf(image.full))}${image.files.length > 1 ? setOf(image) : ''}`,
    `${attribute('width', width)}${attribute('height', height)}${alt}${title} loading="lazy" decoding="async"`,
    `${placeholderOf(placeholder)}>`,
  ].join('');
  if (sources.length === 1) return img;
  const lines = sources
    .slice(0, -1)
    .map((source) => `<source${attribute('type', FORMATS[source.format].mimeType)}${setOf(source)}>`);
  return `<picture>${lines.join('')}${img}</picture>`;
}

/** Returns the formats that have a whole-size file, the best first and the most compatible last. */
function sourcesOf(variants: Variant[], main: string): Source[] {
  const formatOf = (variant: Variant) => (variant.format ?? main) as EncodedFormat;
  const sources = [...new Set(variants.map(formatOf))].flatMap((format): Source[] => {
    const files = variants.filter((variant) => formatOf(variant) === format);
    const full = files.find(({ name }) => name === 'full');
    return full ? [{ format, full, files: files.filter((each) => showsWhole(each, full)) }] : [];
  });
  const rank = ({ format }: Source) => (MODERN.includes(format) ? MODERN.indexOf(format) : MODERN.length);
  // Of several that every browser shows, one is enough: the first that was asked for.
  const old = sources.find((source) => rank(source) === MODERN.length);
  return [...sources.filter((source) => rank(source) < MODERN.length), ...(old ? [old] : [])].sort(
    (one, other) => rank(one) - rank(other),
  );
}

/** False for crops. Rounded edges differ by a pixel. */
function showsWhole(each: Variant, full: Variant): boolean {
  return Math.abs(each.width * full.height - each.height * full.width) <= full.width + full.height;
}

/** The ThumbHash for scripts, and for all others its mean colour, unless that would show through. */
function placeholderOf(placeholder: string | undefined): string {
  if (placeholder === undefined) return '';
  const { r, g, b, a } = thumbHashToAverageRGBA(Buffer.from(placeholder, 'base64'));
  const colour = [r, g, b].map((part) => Math.round(part * 255)).join(' ');
  return attribute('data-thumbhash', placeholder) + (a === 1 ? attribute('style', `background:rgb(${colour})`) : '');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' };

function attribute(name: string, value: string | number): string {
  return ` ${name}="${String(value).replace(/[&"<>]/g, (character) => ENTITIES[character] ?? '')}"`;
}

/** A comma or a blank would end an address in `srcset`. */
function addressOf({ filename }: Variant): string {
  return encodeURIComponent(filename);
}
