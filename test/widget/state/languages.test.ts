import { expect, test } from 'vitest';
import type { LanguageTexts } from '#contract';
import { createScriptedService, describedAs, imageOf } from './scripted-service.ts';
import { startWithFiles } from './started-optimizer.ts';

const textsOf = (alt: string | null, source: LanguageTexts['source'] = { alt: 'ai' }): LanguageTexts => ({
  ...{ title: null, alt, caption: null, tags: [], source, model: 'm' },
  needsReview: alt === null ? ['missing'] : [],
});
const TEXTS = { en: textsOf('A tower'), de: textsOf('Ein Turm'), fr: textsOf(null, {}) };

/** Starts with an image that was described in English, German and French, where French failed; edits are stored. */
async function startDescribed(config: object = {}) {
  const sent: unknown[] = [];
  const service = createScriptedService({
    async updateImage(_session, imageId, metadata, options) {
      sent.push({ metadata, texts: options?.texts });
      return { ...imageOf(imageId), texts: { ...TEXTS, ...described(options?.texts) } };
    },
  });
  const rig = await startWithFiles(1, { analyzeOptions: { languages: ['en', 'de', 'fr'] }, ...config }, { service });
  const { optimizer, env, ids } = rig;
  const analyzed = optimizer.analyze();
  await env.advance(20);
  const metadata = { ...describedAs('A tower'), language: 'en' };
  const result = { imageId: 'img_1', clientRef: null, originalFilename: 'x.jpg', metadata, texts: TEXTS };
  const ended = {
    ...result,
    status: 'completed',
    aiStatus: 'completed',
    fromCache: false,
    creditsCharged: 0,
    error: null,
  };
  const data = { jobId: 'job', status: 'completed', results: [ended] } as never;
  service.analyses[0]?.run.push({ event: 'complete', data });
  await analyzed;
  const [id = ''] = ids();
  return { ...rig, service, sent, item: () => optimizer.items.get(id), id };
}

const described = (texts: { [language: string]: { alt?: string | null } } = {}) =>
  Object.fromEntries(Object.entries(texts).map(([tag, { alt = null }]) => [tag, textsOf(alt, { alt: 'user' })]));

test('asks in all languages and shows the first one', async () => {
  const { service, item } = await startDescribed();
  expect(service.analyses[0]?.options).toEqual({ languages: ['en', 'de', 'fr'] });
  expect(item()).toMatchObject({ metadata: { alt: 'A tower' }, texts: TEXTS, needsReview: [] });
});

test('shows the texts of the chosen language, and what is missing in it', async () => {
  const { optimizer, item } = await startDescribed();
  optimizer.setSettings({ language: 'de' });
  expect(item()).toMatchObject({ metadata: { alt: 'Ein Turm' }, origins: { alt: 'ai' } });
  optimizer.setSettings({ language: 'fr' });
  expect(item()).toMatchObject({ metadata: { alt: null }, needsReview: ['missing'] });
  expect(optimizer.counts.missing).toBe(1);
  optimizer.setSettings({ language: 'en' });
  expect(item()?.metadata.alt).toBe('A tower');
});

test('sends an edit in its language, also if another one is chosen before it was sent', async () => {
  const { optimizer, env, sent, item, id } = await startDescribed();
  optimizer.setSettings({ language: 'de' });
  optimizer.setMetadata(id, 'alt', 'Der Turm');
  optimizer.setMetadata(id, 'filename', 'turm');
  optimizer.setSettings({ language: 'en' });
  expect(item()?.metadata.alt).toBe('A tower');
  await env.advance(700);
  expect(sent).toEqual([{ metadata: { filename: 'turm' }, texts: { de: { alt: 'Der Turm' } } }]);
  expect(item()?.saving).toBe('saved');
  optimizer.setSettings({ language: 'de' });
  expect(item()).toMatchObject({ metadata: { alt: 'Der Turm' }, origins: { alt: 'user' } });
});

test('keeps an edit of another language that had not been sent', async () => {
  const { optimizer, id } = await startDescribed({ remember: 'work' });
  optimizer.setSettings({ language: 'de' });
  optimizer.setMetadata(id, 'alt', 'Der Turm');
  expect(optimizer.getState()).toMatchObject({
    settings: { language: 'de' },
    edits: { img_1: { texts: { de: { alt: 'Der Turm' } } } },
  });
});

test('without a choice edits are sent as before', async () => {
  const { optimizer, env, sent, id } = await startDescribed();
  optimizer.setMetadata(id, 'alt', 'Mine');
  await env.advance(700);
  expect(sent).toEqual([{ metadata: { alt: 'Mine' }, texts: undefined }]);
});
