import { describe, expect, it } from 'vitest';
import { EMPTY_METADATA, type Metadata } from '#contract';
import type { ImageRecord } from '../../server/db/index.ts';
import { textsOf } from '../../server/exports/prepare-job.ts';

/** An image of which a model has described title, alternative text and tags in English, and the title in German. */
function described(metadata: Partial<Metadata> = {}): ImageRecord {
  const own: Metadata = {
    ...{ ...EMPTY_METADATA, title: 'Harbour', alt: 'Boats', tags: ['sea'], language: 'en', model: 'vision-1' },
    source: { title: 'ai', alt: 'ai', tags: 'ai' },
    ...metadata,
  };
  const texts = {
    ...EMPTY_METADATA,
    title: 'Hafen',
    source: { title: 'ai' as const },
    needsReview: [],
    model: 'vision-2',
  };
  return { metadata: own, texts: { first: 'en', others: { de: texts } } } as unknown as ImageRecord;
}

describe('the writer of the texts of an export', () => {
  it('is the model, if one text is as it wrote it', () => {
    expect(textsOf(undefined, described())).toMatchObject({ title: 'Harbour', writer: 'vision-1' });
    const half = described({ title: 'My harbour', source: { title: 'user', alt: 'ai' } });
    expect(textsOf(undefined, half)).toMatchObject({ title: 'My harbour', writer: 'vision-1' });
    const tags = described({ title: null, alt: null });
    expect(textsOf(undefined, tags)).toMatchObject({ tags: ['sea'], writer: 'vision-1' });
  });

  it('is nobody for texts of a person, of the file or without a value', () => {
    for (const source of ['user', 'embedded', 'filename'] as const)
      expect(
        textsOf(undefined, described({ source: { title: source, alt: source, tags: source } })),
      ).not.toHaveProperty('writer');
    expect(textsOf(undefined, described({ title: null, alt: '', tags: [] }))).not.toHaveProperty('writer');
    expect(textsOf(undefined, { metadata: null } as ImageRecord)).not.toHaveProperty('writer');
  });

  it('is that of the language of the settings', () => {
    expect(textsOf(undefined, described(), 'de')).toMatchObject({ title: 'Hafen', writer: 'vision-2' });
  });

  it('follows from the texts of a request: those of the model, or others', () => {
    expect(textsOf({ title: 'Harbour' }, described())).toMatchObject({ writer: 'vision-1' });
    expect(textsOf({ title: 'Hafen' }, described())).toMatchObject({ writer: 'vision-2' });
    expect(textsOf({ title: 'My harbour', alt: 'Three boats' }, described())).not.toHaveProperty('writer');
    expect(textsOf({ filename: 'harbour' }, described())).not.toHaveProperty('writer');
  });
});
