import { z } from 'zod';
import { IMAGE_KINDS, type METADATA_FIELDS, type MetadataField } from '#contract';

/** The image kinds offered to a model. */
const KINDS = IMAGE_KINDS.filter((kind) => kind !== 'blank');

/** A field of the answer: as requested (JSON Schema), and as parsed leniently, since some models omit fields. */
interface AnswerField {
  json: Record<string, unknown>;
  parsed: z.ZodType;
}

const optionalText = z
  .string()
  .nullish()
  .catch(null)
  .transform((text) => text ?? null);
const tagList = z.preprocess(
  (value) => (typeof value === 'string' ? value.split(',') : value),
  z
    .array(z.unknown())
    .catch([])
    .transform((tags) => tags.filter((tag) => typeof tag === 'string')),
);

const TEXT = { json: { type: 'string' }, parsed: optionalText };
const NULLABLE_TEXT = { json: { type: ['string', 'null'] }, parsed: optionalText };
const LIST = { json: { type: 'array', items: { type: 'string' } }, parsed: tagList };
const FLAG = {
  json: { type: 'boolean' },
  parsed: z.preprocess((value) => value === true || value === 'true' || value === 'yes', z.boolean()),
};

interface FieldTypes {
  text: { json: { type: string | string[] }; parsed: z.ZodType<string | null> };
  list: typeof LIST;
  flag: typeof FLAG;
}
type MetadataAnswerFields = { [Name in MetadataField]: FieldTypes[(typeof METADATA_FIELDS)[Name]['type']] };
type OtherField = 'kind' | 'textInImage' | 'people';

/** The fields of an answer: all of the metadata and some about the image. Their order is part of the prompt. */
const ANSWER_FIELDS = {
  kind: { json: { type: 'string', enum: KINDS }, parsed: z.enum(IMAGE_KINDS).catch('other') },
  decorative: FLAG,
  // The only required text.
  alt: { json: TEXT.json, parsed: z.string().nullable() },
  title: TEXT,
  filename: TEXT,
  caption: NULLABLE_TEXT,
  tags: LIST,
  language: TEXT,
  textInImage: NULLABLE_TEXT,
  people: FLAG,
} satisfies MetadataAnswerFields & Record<OtherField, AnswerField>;

type AnswerFields = typeof ANSWER_FIELDS;
/** A field of a model's answer. */
export type AnswerFieldName = keyof AnswerFields;
const FIELD_NAMES = Object.keys(ANSWER_FIELDS) as AnswerFieldName[];

/** Returns one part of every field: what is requested, or what parses it. */
export const fieldsBy = <Part extends keyof AnswerField>(part: Part) =>
  Object.fromEntries(FIELD_NAMES.map((name) => [name, ANSWER_FIELDS[name][part]])) as {
    [Name in AnswerFieldName]: AnswerFields[Name][Part];
  };

/**
 * Returns the JSON Schema of an object: every field required, null instead of absent, no limits on lengths or patterns, as the
 * strict modes of all providers support. Answers are checked and cut afterwards.
 */
export const closedSchema = (properties: Record<string, unknown>): Record<string, unknown> => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** JSON Schema of a model's answer in one language. */
export const ANSWER_SCHEMA = closedSchema(fieldsBy('json'));

const answerSchema = z.object(fieldsBy('parsed'));

/** A model's parsed answer in one language; its texts are untrusted. */
export type VisionAnswer = z.output<typeof answerSchema>;

/** An answer, or the fault of the text in words for the model. `prose`: the text holds no JSON at all. */
export type ParsedAnswer<Answer = VisionAnswer> = { answer: Answer } | { answer: null; fault: string; prose: boolean };

/** Parses a model's reply in one language: JSON, fenced JSON, or JSON between other words. */
export const parseAnswer = (text: string): ParsedAnswer => parseAs(text, answerSchema);

/** Parses the JSON of a model's reply by a schema. */
export function parseAs<Answer>(text: string, schema: z.ZodType<Answer>): ParsedAnswer<Answer> {
  const said = stripReasoning(text);
  const value = firstObject(said);
  if (value === undefined) {
    const prose = !said.includes('{');
    return { answer: null, fault: 'It is not one complete JSON object.', prose };
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return { answer: parsed.data };
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  return { answer: null, fault: `It does not have the shape: ${faults.join('; ')}`, prose: false };
}

/** Opening braces tried before a text counts as one without JSON. */
const MAX_ATTEMPTS = 5;

/** Finds the first balanced `{…}` that is valid JSON. */
function firstObject(text: string): unknown {
  let start = text.indexOf('{');
  for (let attempt = 0; start >= 0 && attempt < MAX_ATTEMPTS; attempt += 1) {
    const end = balancedEnd(text, start);
    if (end < 0) return undefined;
    try {
      return JSON.parse(text.slice(start, end));
    } catch {
      start = text.indexOf('{', start + 1);
    }
  }
  return undefined;
}

function balancedEnd(text: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (quoted) {
      if (character === '\\') at += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

/** Longest reply that is read; answers are far shorter. */
const MAX_CHARACTERS = 65_536;
const TAG = /<(\/?)think(?:ing)?>/gi;

/**
 * Removes `<think>` blocks before the answer, which may contain drafts of it. An unclosed block has no answer after it.
 * Tags inside the answer are kept.
 */
export function stripReasoning(raw: string): string {
  const text = raw.slice(0, MAX_CHARACTERS);
  let answer = '';
  let at = 0;
  let inBlock = false;
  for (const tag of text.matchAll(TAG)) {
    const closes = tag[1] === '/';
    if (inBlock !== closes) continue;
    if (!inBlock) {
      answer += text.slice(at, tag.index);
      if (answer.includes('{')) return answer + text.slice(tag.index);
    }
    inBlock = !inBlock;
    at = tag.index + tag[0].length;
  }
  return inBlock ? answer : answer + text.slice(at);
}
