import { z } from 'zod';
import { IMAGE_KINDS } from '#contract';
import { withoutThoughts } from './thoughts.ts';

/** The kinds a model may choose from. */
const KINDS = IMAGE_KINDS.filter((kind) => kind !== 'blank');

const nullable = (type: string) => ({ type: [type, 'null'] });

/**
 * The shape a model is asked for: every field required, null instead of absent, no bounds on lengths or patterns. That is
 * what all providers' strict modes have in common; what came is checked and cut afterwards.
 */
export const ANSWER_SCHEMA: Record<string, unknown> = {
  type: 'object',
  properties: {
    kind: { type: 'string', enum: KINDS },
    decorative: { type: 'boolean' },
    alt: { type: 'string' },
    title: { type: 'string' },
    filename: { type: 'string' },
    caption: nullable('string'),
    tags: { type: 'array', items: { type: 'string' } },
    language: { type: 'string' },
    textInImage: nullable('string'),
    people: { type: 'boolean' },
  },
  required: ['kind', 'decorative', 'alt', 'title', 'filename', 'caption', 'tags', 'language', 'textInImage', 'people'],
  additionalProperties: false,
};

const yes = z.preprocess((value) => value === true || value === 'true' || value === 'yes', z.boolean());
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

/** What is taken from an answer. Only the alternative text must be there; models that follow loosely forget the rest. */
const answerSchema = z.object({
  kind: z.enum(IMAGE_KINDS).catch('other'),
  decorative: yes,
  alt: z.string().nullable(),
  title: optionalText,
  filename: optionalText,
  caption: optionalText,
  tags: tagList,
  language: optionalText,
  textInImage: optionalText,
  people: yes,
});

/** A model's answer in the shape that was asked for; every word of it is untrusted. */
export type VisionAnswer = z.output<typeof answerSchema>;

/** An answer, or what is wrong with the text in words that its author understands. */
export type ParsedAnswer = { answer: VisionAnswer } | { answer: null; fault: string; prose: boolean };

/** Finds the answer in what a model wrote: JSON, fenced JSON, or JSON between other words. */
export function parseAnswer(text: string): ParsedAnswer {
  const said = withoutThoughts(text);
  const value = firstObject(said);
  if (value === undefined) {
    const prose = !said.includes('{');
    return { answer: null, fault: 'It is not one complete JSON object.', prose };
  }
  const parsed = answerSchema.safeParse(value);
  if (parsed.success) return { answer: parsed.data };
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  return { answer: null, fault: `It does not have the shape: ${faults.join('; ')}`, prose: false };
}

/** Objects that are tried before a text counts as one without any. */
const MAX_ATTEMPTS = 5;

/** The first balanced `{…}` that is JSON. */
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
