import { describe, expect, it } from 'vitest';
import type { Image, UploadResult } from '#contract';
import { GOOD_ANSWER } from '../support/fake-vision-server.ts';
import { collect, useAnalyzingService } from './analyzing-service.ts';

const service = useAnalyzingService();
const LANGUAGES = ['en', 'de', 'pt-BR'];

/** Texts of a model in one language. */
const say = (language: string) => ({
  alt: `A red bicycle, in ${language}`,
  title: `Bicycle (${language})`,
  caption: null,
  tags: [`bicycle-${language.toLowerCase()}`],
});

/** An answer of a model in these languages. */
function answerIn(...languages: string[]) {
  const { alt: _alt, title: _title, caption: _caption, tags: _tags, language: _language, ...once } = GOOD_ANSWER;
  return { ...once, texts: Object.fromEntries(languages.map((tag) => [tag, say(tag)])) };
}

const edit = (uploaded: UploadResult, body: Record<string, unknown>) =>
  service.api.request(`/v1/sessions/${uploaded.sessionId}/images/${uploaded.images[0]?.id}`, {
    method: 'PATCH',
    json: body,
  });
const edited = async (uploaded: UploadResult, body: Record<string, unknown>) =>
  (await (await edit(uploaded, body)).json()) as Image;
const stored = async (uploaded: UploadResult) => (await service.report(uploaded)).images[0];

/** Uploads an image and has it described in several languages. */
async function described(answer: unknown = answerIn(...LANGUAGES), options: object = { languages: LANGUAGES }) {
  service.vision.answer = answer;
  const uploaded = await service.uploadImages(1);
  const asked = service.vision.questions().length;
  const { results } = await service.analyze(uploaded, { options });
  return { uploaded, result: results[0], questions: service.vision.questions().slice(asked) };
}

describe('an analysis in several languages', () => {
  it('asks the model once for all of them', async () => {
    const { result, questions } = await described();
    expect(questions).toHaveLength(1);
    expect(questions[0]?.words).toContain('English (en), German (de), Brazilian Portuguese (pt-BR)');
    const schema = questions[0]?.body.response_format?.json_schema?.schema as { properties: Record<string, object> };
    expect(schema.properties.texts).toMatchObject({ required: LANGUAGES, additionalProperties: false });
    expect(result).toMatchObject({ status: 'completed', aiStatus: 'completed', creditsCharged: 0 });
    expect(Object.keys(result?.texts ?? {})).toEqual(LANGUAGES);
    for (const tag of LANGUAGES)
      expect(result?.texts?.[tag]).toMatchObject({
        ...say(tag),
        source: { alt: 'ai', title: 'ai' },
        model: 'fake-model',
      });
  });

  it('has the texts of the first language in the metadata, and one file name for all', async () => {
    const { uploaded, result } = await described();
    expect(result?.metadata).toMatchObject({ ...say('en'), language: 'en', filename: GOOD_ANSWER.filename });
    expect(result?.metadata).not.toHaveProperty('texts');
    expect(await stored(uploaded)).toMatchObject({ metadata: result?.metadata, texts: result?.texts });
    const session = await service.api.readJson<{ images: Image[] }>(`/v1/sessions/${uploaded.sessionId}`);
    expect(session.images[0]?.texts).toEqual(result?.texts);
  });

  it('streams the texts of a finished image', async () => {
    service.vision.answer = answerIn(...LANGUAGES);
    const uploaded = await service.uploadImages(1);
    const events = await collect(await service.open(uploaded, { options: { languages: LANGUAGES } }));
    const done = events.find(({ data }) => data.step === 'done')?.data as unknown as Image;
    expect(done.texts?.de).toMatchObject(say('de'));
  });

  it('responds to a repetition from the cache, and not to other languages', async () => {
    const { uploaded } = await described();
    const asked = service.vision.questions().length;
    const again = await service.analyze(uploaded, { options: { languages: LANGUAGES } });
    expect(again.results[0]).toMatchObject({ fromCache: true });
    expect(service.vision.questions()).toHaveLength(asked);
    service.vision.answer = answerIn('fr', 'de');
    const other = await service.analyze(uploaded, { options: { languages: ['fr', 'de'] } });
    expect(other.results[0]).toMatchObject({ fromCache: false });
    expect(Object.keys(other.results[0]?.texts ?? {})).toEqual(['fr', 'de', 'pt-BR', 'en']);
    expect(other.results[0]?.metadata).toMatchObject({ ...say('fr'), language: 'fr' });
  });

  it('says which language the model left out, invents nothing, and asks again next time', async () => {
    const { uploaded, result } = await described(answerIn('en', 'pt-BR'));
    expect(result).toMatchObject({ aiStatus: 'completed' });
    expect(result?.texts?.de).toEqual({
      ...{ title: null, alt: null, caption: null, tags: [] },
      ...{ source: {}, needsReview: ['missing'], model: null },
    });
    expect(result?.texts?.en?.needsReview).toEqual([]);
    service.vision.answer = answerIn(...LANGUAGES);
    const { results } = await service.analyze(uploaded, { options: { languages: LANGUAGES } });
    expect(results[0]).toMatchObject({ fromCache: false, texts: { de: { ...say('de'), needsReview: [] } } });
  });

  it('keeps the texts of the first language if the model leaves it out later', async () => {
    const { uploaded } = await described();
    service.vision.answer = answerIn('de');
    const { results } = await service.analyze(uploaded, { options: { languages: ['en', 'de'] } });
    expect(results[0]?.metadata).toMatchObject({ ...say('en'), needsReview: ['missing'] });
  });

  it.each([
    ['under other spellings of the tags', { ...answerIn(), texts: { en: say('en'), DE: say('de'), pt: say('pt-BR') } }],
    ['as a list', { ...answerIn(), texts: LANGUAGES.map((language) => ({ language, ...say(language) })) }],
  ])('takes texts %s', async (_, answer) => {
    const { result } = await described(answer);
    for (const tag of LANGUAGES) expect(result?.texts?.[tag]).toMatchObject(say(tag));
  });

  it('marks a text that the model did not translate', async () => {
    const texts = { en: say('en'), de: say('en'), 'pt-BR': say('pt-BR') };
    const { result } = await described({ ...answerIn(), texts });
    expect(result?.texts?.de?.needsReview).toEqual(['language']);
    expect(result?.metadata?.needsReview).toEqual([]);
  });

  it('marks a decorative image in all languages', async () => {
    const { uploaded, result } = await described({ ...answerIn(...LANGUAGES), decorative: true });
    for (const tag of LANGUAGES) expect(result?.texts?.[tag]?.alt).toBe('');
    const image = await edited(uploaded, { metadata: { decorative: false, alt: 'A line' } });
    expect(image.texts).toMatchObject({ en: { alt: 'A line' }, de: { alt: null }, 'pt-BR': { alt: null } });
  });

  it('takes nothing from a failing model but the texts of the file', async () => {
    service.vision.mode = 'unauthorized';
    const { result } = await described();
    expect(result).toMatchObject({ aiStatus: 'failed', texts: { de: { alt: null, title: null } } });
    expect(result?.texts?.de?.needsReview).toContain('fallback');
  });

  it.each([
    [{ languages: [] }, 'options.languages'],
    [{ languages: ['en', 'de', 'EN'] }, 'received en twice'],
    [{ languages: 'ab cd ef gh ij kl mn op qr'.split(' ') }, 'options.languages'],
    [{ languages: ['english'] }, 'BCP 47'],
    [{ languages: ['en-a'] }, 'BCP 47'],
    [{ language: 'en', languages: ['en', 'de'] }, 'received both'],
  ])('refuses %j', async (options, message) => {
    const uploaded = await service.uploadImages(1);
    const response = await service.open(uploaded, { options });
    expect(response.status).toBe(400);
    expect(((await response.json()) as { error: string }).error).toContain(message);
  });
});

describe('the form for one language', () => {
  it('asks and answers as it did', async () => {
    const { uploaded, result, questions } = await described(GOOD_ANSWER, { language: 'en' });
    expect(questions[0]?.words).toContain('Write alt, title, caption and tags in English (en); language is');
    expect(result).not.toHaveProperty('texts');
    expect(result?.metadata).toMatchObject({ alt: GOOD_ANSWER.alt, promptVersion: '1' });
    expect(await stored(uploaded)).not.toHaveProperty('texts');
  });

  it('keeps the other languages of an image that has them', async () => {
    const { uploaded } = await described();
    service.vision.answer = { ...GOOD_ANSWER, alt: 'Un vélo rouge', language: 'fr' };
    const french = await service.analyze(uploaded, { options: { language: 'fr' } });
    expect(french.results[0]).toMatchObject({
      metadata: { alt: 'Un vélo rouge', language: 'fr' },
      texts: { fr: { alt: 'Un vélo rouge' }, en: say('en'), de: say('de') },
    });
    service.vision.answer = { ...GOOD_ANSWER, alt: 'Un autre vélo', language: 'fr' };
    const again = await service.analyze(uploaded, { options: { context: 'A shop' } });
    expect(service.vision.questions().at(-1)?.words).toContain('in French (fr)');
    expect(again.results[0]).toMatchObject({ metadata: { alt: 'Un autre vélo' }, texts: { en: say('en') } });
  });
});

describe('edits by language', () => {
  it('are stored, kept by later analyses and replaced with overwrite', async () => {
    const { uploaded } = await described();
    const image = await edited(uploaded, { texts: { de: { alt: 'Ein Rad', tags: null }, en: { title: 'Mine' } } });
    expect(image.metadata).toMatchObject({ title: 'Mine', alt: say('en').alt, source: { title: 'user' } });
    expect(image.texts?.de).toMatchObject({ alt: 'Ein Rad', tags: [], source: { alt: 'user', tags: 'user' } });
    const options = { languages: LANGUAGES };
    const kept = (await service.analyze(uploaded, { options })).results[0];
    expect(kept?.texts).toMatchObject({
      de: { alt: 'Ein Rad', tags: [], title: say('de').title },
      en: { title: 'Mine' },
    });
    const replaced = (await service.analyze(uploaded, { options: { ...options, overwrite: true } })).results[0];
    expect(replaced?.texts).toMatchObject({ de: say('de'), en: say('en') });
  });

  it('of an image without texts by language: its metadata is its first language', async () => {
    const { uploaded } = await described(GOOD_ANSWER, { language: 'en' });
    const image = await edited(uploaded, { texts: { 'DE-de': { alt: 'Ein Rad' } } });
    expect(image.texts).toMatchObject({ en: { alt: GOOD_ANSWER.alt }, 'de-DE': { alt: 'Ein Rad', title: null } });
    expect(image.metadata?.alt).toBe(GOOD_ANSWER.alt);
  });

  it('of an image without any text: the first one given is the first language', async () => {
    const uploaded = await service.uploadImages(1);
    const image = await edited(uploaded, { texts: { de: { alt: 'Ein Rad' }, en: { alt: 'A bicycle' } } });
    expect(image.metadata).toMatchObject({ alt: 'Ein Rad', language: 'de' });
    expect(Object.keys(image.texts ?? {})).toEqual(['de', 'en']);
  });

  it('do not lose texts of an unknown language', async () => {
    const uploaded = await service.uploadImages(1);
    await edited(uploaded, { metadata: { alt: 'Biciclo' } });
    const image = await edited(uploaded, { texts: { de: { alt: 'Ein Rad' } } });
    expect(image.texts).toMatchObject({ und: { alt: 'Biciclo' }, de: { alt: 'Ein Rad' } });
  });

  it('choose the first language with `language`', async () => {
    const { uploaded } = await described();
    const image = await edited(uploaded, { metadata: { language: 'de', title: 'Meins' } });
    expect(image.metadata).toMatchObject({ title: 'Meins', alt: say('de').alt, filename: GOOD_ANSWER.filename });
    expect(image.texts).toMatchObject({ de: { title: 'Meins' }, en: say('en') });
    const renamed = await edited(uploaded, { metadata: { language: 'de-AT' } });
    expect(Object.keys(renamed.texts ?? {})).toEqual(['de-AT', 'pt-BR', 'en']);
  });

  it('that fill a language which the model left out need no review any more', async () => {
    const { uploaded } = await described(answerIn('en', 'pt-BR'));
    const image = await edited(uploaded, { texts: { de: { alt: 'Ein Rad' } } });
    expect(image.texts?.de?.needsReview).toEqual([]);
  });

  it.each([
    [{}, 'expected metadata or texts'],
    [{ texts: { german: { alt: 'x' } } }, 'texts'],
    [{ texts: { de: { filename: 'x' } } }, 'texts.de'],
    [{ texts: { de: { alt: 'x' }, DE: { alt: 'y' } } }, 'received de twice'],
    [{ texts: Object.fromEntries('ab cd ef gh ij kl'.split(' ').map((tag) => [tag, { alt: 'x' }])) }, 'have 9'],
  ])('refuse %j', async (body, message) => {
    const { uploaded } = await described();
    const response = await edit(uploaded, body);
    expect(response.status).toBe(400);
    expect(((await response.json()) as { error: string }).error).toContain(message);
    expect((await stored(uploaded))?.texts?.de).toMatchObject(say('de'));
  });
});
