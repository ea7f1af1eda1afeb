import { describe, expect, it } from 'vitest';
import { emptyMetadataValues } from '#contract';
import { parseAnswer, type VisionAnswer } from '../../server/analysis/answer.ts';
import { describeFromAnswer } from '../../server/analysis/describe-from-answer.ts';
import { describeFromFile } from '../../server/analysis/describe-from-file.ts';
import { mergeMetadata } from '../../server/analysis/merge-metadata.ts';
import { readXmp } from '../../server/processing/worker/inspect/inspect-image.ts';
import { expectSteady } from '../support/cpu-time.ts';
import { optionsOf } from './analysis-harness.ts';
import { BASE, GOLDEN_ANSWERS } from './golden-answers.ts';

const NOTHING_EMBEDDED = readXmp(undefined, undefined);

function stored(raw: Record<string, unknown> | string, given: object = {}) {
  const { answer } = parseAnswer(typeof raw === 'string' ? raw : JSON.stringify({ ...BASE, ...raw }));
  if (!answer) throw new Error('the answer could not be parsed');
  return storedOf(answer, given);
}

function storedOf(answer: VisionAnswer, given: object = {}) {
  const options = optionsOf(given);
  const image = { originalFilename: 'IMG_2034.jpg', width: 800, height: 600 };
  const fromFile = describeFromFile(image, { embedded: NOTHING_EMBEDDED, pixels: null }, options);
  const description = describeFromAnswer(fromFile, answer, options);
  return mergeMetadata(null, description, options, { aiStatus: 'completed', model: 'm', promptVersion: '1' });
}

describe('the stored part of an answer', () => {
  it('is tested with at least 30 answers', () => {
    expect(GOLDEN_ANSWERS.length).toBeGreaterThanOrEqual(30);
  });

  it.each(GOLDEN_ANSWERS)('$name', ({ raw, options, expected }) => {
    const metadata = stored(raw, options);
    expect(metadata).toMatchObject(expected);
    expect(JSON.stringify(metadata)).not.toMatch(/[<>\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/);
    expect([...(metadata.alt ?? '')].length).toBeLessThanOrEqual(250);
    for (const [field, source] of Object.entries(metadata.source)) expect(source, field).toBe('ai');
  });

  it('cleans any text quickly', () => {
    const pieces = [
      '<',
      '<a ',
      '[',
      '[a](',
      '&#',
      '*_',
      'a@',
      'a.',
      'a.com-',
      'a-',
      'image of ',
      'http:',
      '" ',
      '\u200b',
      '( )',
      '# ',
    ];
    expectSteady((share) => {
      for (const piece of pieces) {
        const text = piece.repeat(6000 * share);
        // Without the parser, which refuses texts of this length.
        storedOf({
          ...emptyMetadataValues(),
          ...BASE,
          kind: 'photo',
          alt: text,
          title: text,
          filename: text,
          tags: [piece.repeat(6000 * share)],
        });
      }
    });
  });
});

describe('parseAnswer', () => {
  it.each([
    ['no JSON', 'I see a harbour.', true],
    ['cut off', '{"alt":"A har', false],
    ['an array', '[1,2]', true],
    ['no alt', '{"title":"x"}', false],
    ['a thought that does not end', '<think>Perhaps {"alt":"a draft"}?', true],
    ['a second thought that does not end', '<think>Hm.</think> <THINKING>Or {"alt":"a draft"}', true],
    ['an object that is cut off after a thought', '<think>{"alt":"a"}</think>{"alt":"A har', false],
    ['what stands behind 64 kB', `${' '.repeat(70_000)}{"alt":"late"}`, true],
    ['deep nesting', '{"a":'.repeat(50_000), false],
  ])('%s is not an answer', (_name, text, prose) => {
    expect(parseAnswer(text)).toMatchObject({ answer: null, prose });
  });

  it.each([
    ['after thoughts', '<think>{"alt":"1"}</think>\n<thinking>{"alt":"2"}</thinking>{"alt":"A harbour"}', 'A harbour'],
    ['that shows a tag', '{"alt":"A screen with <think> on it"}', 'A screen with <think> on it'],
  ])('finds an answer %s', (_name, text, expected) => {
    expect(parseAnswer(text).answer?.alt).toBe(expected);
  });

  it.each(['<think>', '<thinking>', '</think>', '<think></think>', '<think>{', '{'])('is fast with %s', (piece) => {
    expectSteady((share) => {
      const text = piece.repeat((1_000_000 * share) / piece.length);
      expect(parseAnswer(text).answer).toBeNull();
    });
  });
});
