import {
  EMBEDDED_FIELDS,
  type EmbeddedField,
  type ExportRequest,
  emptyMetadataValues,
  LANGUAGE_FIELDS,
  type LanguageField,
  type LanguageTexts,
  type MetadataValues,
  metadataSchema,
  PATCH_SHAPE,
  pickFields,
  REQUEST_FIELDS,
  type RequestField,
  SAMPLE_IMAGE_LIMIT,
  SAMPLE_SUFFIX,
  type Settings,
  serveLanguage,
  settingsFor,
} from '#contract';
import { type EncodedFormat, encodedFormat, type InputFormat } from '#contract/constants';
import type { CachedVariantRecord, ImageRecord, JobImage, JobRecord, ReplacedFile } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { extensionOf, formatsOf, lacksOf, planVariants, type VariantSpec } from '../processing/index.ts';
import { textsByLanguage, withTexts } from '../sessions/index.ts';
import type { NamedVariant } from './file-names.ts';
import type { VariantOrder } from './variant-cache.ts';

/**
 * Checks what a request asks for against what the session holds.
 * @param images every image of the session
 * @throws session_mismatch, duplicate_image, sample_limit_exceeded, image_not_found, upload_path_mismatch
 */
export function resolveImages(
  request: ExportRequest,
  context: { kind: 'export' | 'sample'; sessionId: string; images: ImageRecord[] },
): JobImage[] {
  const { kind, sessionId, images } = context;
  if (request.sessionId !== undefined && request.sessionId !== sessionId) {
    throw new AppError(
      'session_mismatch',
      `sessionId: expected ${sessionId} as in the path, but received ${request.sessionId}`,
    );
  }
  if (kind === 'sample' && request.images.length > SAMPLE_IMAGE_LIMIT) {
    throw new AppError(
      'sample_limit_exceeded',
      `A sample takes at most ${SAMPLE_IMAGE_LIMIT} images, but the request has ${request.images.length}`,
      { details: { limit: SAMPLE_IMAGE_LIMIT, received: request.images.length } },
    );
  }
  const byId = new Map(images.map((image) => [image._id, image]));
  const seen = new Set<string>();
  const { language } = request.settings;
  const isSelective = kind === 'export' && request.settings.onlySmaller === true;
  return request.images.map((wanted, index) => {
    if (seen.has(wanted.id)) {
      throw new AppError('duplicate_image', `images[${index}].id: ${wanted.id} occurs twice`, {
        details: { imageId: wanted.id },
      });
    }
    seen.add(wanted.id);
    const image = byId.get(wanted.id);
    if (!image) {
      throw new AppError('image_not_found', `images[${index}].id: no image ${wanted.id} in session ${sessionId}`, {
        details: { imageId: wanted.id },
      });
    }
    if (wanted.uploadPath !== undefined && wanted.uploadPath !== image.uploadPath) {
      throw new AppError(
        'upload_path_mismatch',
        `images[${index}].uploadPath: expected the uploadPath of image ${wanted.id} as the upload answered it`,
        { details: { imageId: wanted.id } },
      );
    }
    const { renames } = image;
    const { focalPoint } = wanted;
    const texts = {
      ...{ imageId: image._id, ...textsOf(wanted.metadata, image, language) },
      ...(renames ? { renames } : {}),
      ...(focalPoint ? { focalPoint } : {}),
    };
    if (!isSelective) return texts;
    const { replaces = [], leastGain } = wanted;
    return { ...texts, replaces, ...(leastGain ? { leastGain } : {}) };
  });
}

/** Namespace that a job's files belong to: samples have their own, so they never meet full exports. */
export function namespaceOf(job: Pick<JobRecord, 'kind' | 'sessionId'>): string {
  return job.kind === 'sample' ? job.sessionId + SAMPLE_SUFFIX : job.sessionId;
}

/** Most names of unknown fields that are stored for their warning, and their longest part. */
const NAMES_KEPT = 5;
const NAME_LENGTH = 40;

type StoredOnly = Exclude<EmbeddedField, RequestField>;
type RequestMetadata = Partial<Record<RequestField, string | null>> & Record<string, unknown>;

/** Embedded fields beside those of the specification. */
const STORED_ONLY = EMBEDDED_FIELDS.filter((name): name is StoredOnly => !isIn(REQUEST_FIELDS, name));

/** Returns the texts of an image: of the request if that has metadata, else the stored ones in the language of the settings. */
export function textsOf(
  given: RequestMetadata | null | undefined,
  image: ImageRecord,
  language?: string,
): Omit<JobImage, 'imageId'> {
  const found = language === undefined ? { metadata: image.metadata, isOther: false } : inLanguage(image, language);
  const { metadata: stored, isOther } = found;
  const metadata = given ?? stored;
  const others = given ? readOthers(given) : stored && pickFields(stored, STORED_ONLY);
  const texts = {
    ...pickFields(emptyMetadataValues(), REQUEST_FIELDS),
    ...(metadata ? withValue(metadata, REQUEST_FIELDS) : {}),
    ...others,
  };
  const writer = writerOf(texts, image);
  return {
    ...texts,
    filename: metadata?.filename || null,
    ...(writer ? { writer } : {}),
    ...(isOther && !given ? { isOtherLanguage: true } : {}),
  };
}

/** Returns the metadata in the language that serves the wanted one; `isOther`: there is none, so its texts are in another one. */
function inLanguage(image: ImageRecord, wanted: string): { metadata: ImageRecord['metadata']; isOther: boolean } {
  const { metadata } = image;
  const all = Object.entries(textsByLanguage(image) ?? {}).filter(([, texts]) => hasText(texts));
  const known = all.length > 0 ? all.map(([tag]) => tag) : [metadata?.language].flatMap((tag) => tag ?? []);
  const language = serveLanguage(wanted, known);
  const texts = all.find(([tag]) => tag === language)?.[1];
  if (texts && language) return { metadata: withTexts(metadata, language, texts), isOther: false };
  return { metadata, isOther: language === undefined && known.length > 0 };
}

/** Returns the vision model of the texts, if one of them is as it wrote it, in whatever language. */
function writerOf(texts: Partial<MetadataValues>, image: ImageRecord): string | undefined {
  const stored = [image.metadata, ...Object.values(textsByLanguage(image) ?? {})];
  const written = stored.find((one) => one && LANGUAGE_FIELDS.some((field) => isWrittenIn(one, field, texts[field])));
  return written?.model ?? undefined;
}

/** Returns true if a model wrote this value of a field. */
function isWrittenIn(
  { source, ...stored }: Pick<LanguageTexts, 'source' | LanguageField>,
  field: LanguageField,
  value: string | string[] | null | undefined,
): boolean {
  return Boolean(value?.length) && source[field] === 'ai' && JSON.stringify(stored[field]) === JSON.stringify(value);
}

/** An empty alternative text counts: it says that none is needed. */
const hasText = ({ title, alt, caption, tags }: LanguageTexts) =>
  Boolean(title || caption || tags.length) || alt !== null;

/** Reads the fields beside those of the specification, as an analysis returns them, and names the unknown ones. */
function readOthers(
  given: RequestMetadata,
): Partial<Pick<MetadataValues, StoredOnly>> & Pick<JobImage, 'unknownFields'> {
  const texts: Record<string, unknown> = {};
  const unknownFields: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (isIn(STORED_ONLY, name)) {
      const parsed = PATCH_SHAPE[name].safeParse(value);
      if (!parsed.success) unknownFields.push(name);
      else if (parsed.data !== null && parsed.data !== undefined) texts[name] = parsed.data;
    } else if (!Object.hasOwn(metadataSchema.shape, name)) unknownFields.push(name.slice(0, NAME_LENGTH));
  }
  return unknownFields.length > 0 ? { ...texts, unknownFields: unknownFields.slice(0, NAMES_KEPT) } : texts;
}

/** Returns the named fields that have a value. */
function withValue<Values extends object>(values: Values, names: readonly (keyof Values)[]): Partial<Values> {
  return Object.fromEntries(
    names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
  ) as Partial<Values>;
}

function isIn<Name extends string>(names: readonly Name[], name: string): name is Name {
  return (names as readonly string[]).includes(name);
}

/** A file that may be delivered: a variant in a format. */
export interface PlannedFile extends NamedVariant {
  format: EncodedFormat;
}

/** Returns the main format of an image: the first one. */
export function mainFormat(settings: Settings, input: InputFormat): EncodedFormat {
  return encodedFormat(settings.formats?.[0] ?? settings.format, input);
}

/** Returns the orders of an image, one for each format: what its variants are made of, and which there are. */
export function orderVariants(image: ImageRecord, requested: JobImage, ordered: Settings): VariantOrder[] {
  const settings = settingsFor(ordered, image);
  const { writer } = requested;
  const embed = settings.embedMetadata ? { ...pickFields(requested, EMBEDDED_FIELDS), writer } : undefined;
  const { variants } = planSizes(image, requested, settings);
  return formatsOf(settings, image.format).map((format) => ({
    image,
    settings: { ...settings, format },
    ...(embed ? { embed } : {}),
    variants,
  }));
}

/** Plans the files that may be delivered, in the order of {@link orderVariants}, and lists the widths that are left out. */
export function planFiles(image: ImageRecord, requested: JobImage, settings: Settings) {
  const { variants, skippedSizes } = planSizes(image, requested, settings);
  const files = formatsOf(settings, image.format).flatMap((output) => {
    const format = encodedFormat(output, image.format);
    return variants.map(({ name }): PlannedFile => ({ name, format, extension: extensionOf(format) }));
  });
  return { files, skippedSizes };
}

function planSizes(image: ImageRecord, { focalPoint, replaces }: JobImage, settings: Settings) {
  const { variants, skippedSizes } = planVariants(image, focalPoint ? { ...settings, focalPoint } : settings);
  return { variants: candidatesOf(variants, replaces), skippedSizes };
}

/** Returns the variants that may be delivered: all of them without `replaces`, else only variants that replace a file in use. */
function candidatesOf(variants: VariantSpec[], replaces: ReplacedFile[] | undefined): VariantSpec[] {
  const unused = new Set(replaces?.filter(({ bytes }) => bytes === 0).map(({ name }) => name));
  return variants.filter(({ name }) => !unused.has(name));
}

/**
 * Returns the indexes of the recorded variants to deliver. With `replaces`, a variant has to be smaller than the file it replaces;
 * `full` without an entry replaces the upload, any other one nothing.
 */
export function selectSmaller(
  image: Pick<ImageRecord, 'size'>,
  variants: Pick<VariantSpec, 'name'>[],
  records: (Pick<CachedVariantRecord, 'size'> | undefined)[],
  replaces: ReplacedFile[] | undefined,
): number[] {
  const limits = new Map(replaces?.map(({ name, bytes }) => [name, bytes]));
  return variants.flatMap(({ name }, index) => {
    const limit = limits.get(name) ?? (replaces && name === 'full' ? image.size : Number.POSITIVE_INFINITY);
    return (records[index]?.size ?? Number.POSITIVE_INFINITY) < limit ? [index] : [];
  });
}

/**
 * Returns true if the chosen variants save as much as the image has to gain. Of each name the smallest counts, unless it lost an
 * animation.
 */
export function gainsEnough(
  variants: Pick<VariantSpec, 'name'>[],
  records: (Pick<CachedVariantRecord, 'size' | 'warnings'> | undefined)[],
  chosen: number[],
  { replaces, leastGain }: Pick<JobImage, 'replaces' | 'leastGain'>,
): boolean {
  if (!leastGain) return true;
  const saved = new Map<string, number>();
  for (const index of chosen) {
    const [name, record] = [variants[index]?.name ?? '', records[index]];
    const inUse = leastGain.of.includes(name) ? replaces?.find((file) => file.name === name)?.bytes : undefined;
    if (inUse === undefined || !record || lacksOf(record).lacks?.includes('animation')) continue;
    saved.set(name, Math.max(saved.get(name) ?? 0, inUse - record.size));
  }
  return [...saved.values()].reduce((sum, bytes) => sum + bytes, 0) >= leastGain.bytes;
}
