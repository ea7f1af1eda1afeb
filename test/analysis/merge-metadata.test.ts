import { describe, expect, it } from 'vitest';
import { type AiStatus, EMPTY_METADATA, type Metadata } from '#contract';
import { parseAnswer } from '../../server/analysis/answer.ts';
import { describeFromAnswer } from '../../server/analysis/describe-from-answer.ts';
import { describeFromFile } from '../../server/analysis/describe-from-file.ts';
import { mergeMetadata } from '../../server/analysis/merge-metadata.ts';
import { readXmp } from '../../server/processing/worker/inspect/inspect-image.ts';
import { optionsOf } from './analysis-harness.ts';
import { BASE } from './golden-answers.ts';

const stored = (fields: Partial<Metadata>): Metadata => ({ ...EMPTY_METADATA, ...fields });
const text = (value: string, language: string | null = null) => ({ text: value, language });

interface Given {
  current?: Metadata | null;
  options?: object;
  answer?: Partial<typeof BASE>;
  status?: AiStatus;
  embedded?: Partial<Record<'alt' | 'title' | 'caption', { text: string; language: string | null }>>;
  name?: string;
}

/** Returns the metadata stored after an analysis; without an answer, after a failure of the model. */
function analysed({
  current = null,
  options: given = {},
  answer,
  status,
  embedded,
  name = 'old-mill.jpg',
}: Given): Metadata {
  const options = optionsOf(given);
  const inspection = { embedded: { ...readXmp(undefined, undefined), ...embedded }, pixels: null };
  const fromFile = describeFromFile({ originalFilename: name, width: 800, height: 600 }, inspection, options);
  const parsed = answer ? parseAnswer(JSON.stringify({ ...BASE, ...answer })).answer : null;
  const description = parsed ? describeFromAnswer(fromFile, parsed, options) : fromFile;
  const aiStatus = status ?? (parsed ? 'completed' : 'failed');
  return mergeMetadata(current, description, options, { aiStatus, model: 'm', promptVersion: '1' });
}

describe('edited values', () => {
  const current = stored({
    alt: 'Mine',
    title: 'My title',
    tags: [],
    source: { alt: 'user', title: 'user', tags: 'user' },
  });

  it('are kept, also if cleared', () => {
    expect(analysed({ current, answer: {} })).toMatchObject({
      alt: 'Mine',
      title: 'My title',
      tags: [],
      filename: 'harbour-at-dusk',
      source: { alt: 'user', title: 'user', tags: 'user', filename: 'ai' },
    });
  });

  it('are replaced with overwrite, but not by unknown values', () => {
    const merged = analysed({ current, options: { overwrite: true }, answer: { title: null as never } });
    expect(merged).toMatchObject({ alt: BASE.alt, source: { alt: 'ai', tags: 'ai' } });
    const failed = analysed({ current, options: { overwrite: true }, name: 'IMG_1.jpg' });
    expect(failed).toMatchObject({ alt: 'Mine', title: 'My title', source: { alt: 'user' } });
  });

  it('are not marked as decorative', () => {
    expect(analysed({ current, answer: { decorative: true } })).toMatchObject({ alt: 'Mine', decorative: false });
  });

  it('decorative by hand: no text, whatever the model says', () => {
    const marked = stored({ decorative: true, source: { decorative: 'user' } });
    expect(analysed({ current: marked, answer: {} })).toMatchObject({ decorative: true, alt: '' });
  });

  it('not decorative by hand: no empty text', () => {
    const marked = stored({ decorative: false, source: { decorative: 'user' } });
    expect(analysed({ current: marked, answer: { decorative: true } })).toMatchObject({ decorative: false, alt: null });
  });
});

describe('fields', () => {
  it('limits what is written', () => {
    const merged = analysed({ options: { fields: ['title', 'tags'] }, answer: {} });
    expect(merged).toMatchObject({ title: BASE.title, tags: BASE.tags, alt: null, filename: null, language: 'en' });
    expect(Object.keys(merged.source).sort()).toEqual(['kind', 'language', 'tags', 'title']);
  });

  it('alt includes decorative', () => {
    expect(analysed({ options: { fields: ['alt'] }, answer: { decorative: true } })).toMatchObject({
      alt: '',
      decorative: true,
    });
  });
});

describe('usage', () => {
  it('decorative: an empty text, by the caller', () => {
    const merged = analysed({ options: { usage: 'decorative' }, answer: {} });
    expect(merged).toMatchObject({
      alt: '',
      decorative: true,
      source: { alt: 'user', decorative: 'user', title: 'ai' },
    });
    expect(merged.needsReview).toEqual([]);
  });

  it.each(['link', 'button', 'informative'])('%s: never decorative', (usage) => {
    const merged = analysed({ options: { usage }, answer: { decorative: true, alt: '' } });
    expect(merged).toMatchObject({ alt: null, decorative: false });
  });
});

describe('embedded texts', () => {
  const embedded = { title: text('Hafen', 'de'), caption: text('Boats'), alt: text('Two boats') };

  it('stay beside a model’s answer', () => {
    expect(analysed({ embedded, answer: {} })).toMatchObject({
      title: 'Hafen',
      alt: 'Two boats',
      caption: 'Boats',
      filename: 'harbour-at-dusk',
      source: { title: 'embedded', alt: 'embedded', filename: 'ai' },
    });
  });

  it('are replaced if another language was requested', () => {
    const merged = analysed({ embedded, options: { language: 'en' }, answer: { caption: 'New' } });
    expect(merged).toMatchObject({ title: BASE.title, alt: BASE.alt, caption: 'New', source: { title: 'ai' } });
    const german = analysed({ embedded, options: { language: 'de' }, answer: { language: 'de' } });
    expect(german).toMatchObject({ title: 'Hafen', alt: BASE.alt });
  });
});

describe('a model that fails', () => {
  const before = analysed({ answer: { people: true } });

  it('keeps its earlier values', () => {
    const merged = analysed({ current: before, status: 'timeout' });
    expect(merged).toMatchObject({
      alt: BASE.alt,
      title: BASE.title,
      model: 'm',
      promptVersion: '1',
      aiStatus: 'timeout',
    });
    expect(merged.needsReview).toEqual(['people']);
    expect(merged.source).toEqual(before.source);
  });

  it('keeps the texts of the file', () => {
    expect(analysed({ status: 'unavailable' })).toMatchObject({
      alt: null,
      title: 'old mill',
      filename: 'old-mill',
      model: null,
      promptVersion: null,
      aiStatus: 'unavailable',
      source: { title: 'filename' },
    });
  });

  it('is corrected by the next answer, which replaces all values of the model', () => {
    const merged = analysed({ current: before, answer: { alt: 'New', caption: null, tags: [] } });
    expect(merged).toMatchObject({ alt: 'New', tags: [], needsReview: [] });
    expect(merged.source.tags).toBeUndefined();
  });
});
