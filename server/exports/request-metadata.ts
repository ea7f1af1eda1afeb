import {
  EMBEDDED_FIELDS,
  type EmbeddedField,
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
  serveLanguage,
} from '#contract';
import type { ImageRecord, JobImage } from '../db/index.ts';
import { textsByLanguage, withTexts } from '../sessions/index.ts';

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
