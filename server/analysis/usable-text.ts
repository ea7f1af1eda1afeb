import type { AnalyzeOptions } from '#contract';
import type { VisionAnswer } from './answer.ts';
import { cleanText, withoutLeadIn } from './clean-text.ts';

/** Fields that an answer needs to be a description. */
export interface Demand {
  /** True if the answer needs an alternative text; else any text will do. */
  alt: boolean;
  /** True if the answer may call the image decorative instead. */
  mayBeDecorative: boolean;
}

/** Returns what an answer to a request has to say. */
export function demandOf({ usage, fields }: Pick<AnalyzeOptions, 'usage' | 'fields'>): Demand {
  const wantsAlt = !fields || fields.includes('alt') || fields.includes('decorative');
  return { alt: wantsAlt && usage !== 'decorative', mayBeDecorative: usage === undefined };
}

type Texts = Pick<VisionAnswer, 'alt' | 'title' | 'caption' | 'tags'>;

/** Tests if an answer, or its texts in one language, is a description: something is left of it when it is cleaned. */
export function isUsable(
  answer: Texts & Partial<Pick<VisionAnswer, 'filename'>>,
  decorative: boolean,
  { alt, mayBeDecorative }: Demand,
): boolean {
  if (decorative && mayBeDecorative) return true;
  if (alt) return isText(answer.alt);
  return [answer.alt, answer.title, answer.caption, answer.filename, ...answer.tags].some(isText);
}

const READ = { maxLength: 500, withoutLinks: true };
/** Words that programs write in the place of a value. */
const PLACEHOLDER = /^(?:null|none|undefined|n\/?a|nil|unknown|string|text|alt(?: text)?)[.!]?$/i;

function isText(raw: string | null | undefined): boolean {
  const { text } = cleanText(withoutLeadIn(cleanText(raw ?? '', READ).text), READ);
  return /[\p{L}\p{N}\p{S}]/u.test(text) && !PLACEHOLDER.test(text);
}
