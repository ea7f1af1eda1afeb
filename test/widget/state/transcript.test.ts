import { expect, test } from 'vitest';
import { createI18n, loadLocale } from '../../../widget/i18n/index.ts';
import {
  completed,
  createScriptedService,
  describedAs,
  failedResult,
  progressed,
  resultOf,
} from './scripted-service.ts';
import { fileOf, startOptimizer } from './started-optimizer.ts';

const { t: translate } = createI18n({ locale: 'en', messages: await loadLocale('en') });

test('a whole run is told in few sentences, two seconds apart, errors assertively', async () => {
  const service = createScriptedService();
  const { optimizer, env } = startOptimizer({ translate }, { service });
  const transcript: string[] = [];
  const times: number[] = [];
  optimizer.onAnnounce(({ text, urgency }) => {
    transcript.push(urgency === 'assertive' ? `! ${text}` : text);
    times.push(env.now());
  });

  const pictures = Array.from({ length: 8 }, (_, index) => fileOf(`${index}.jpg`));
  await optimizer.addFiles([...pictures.slice(0, 5), fileOf('notes.txt', { type: 'text/plain' })]);
  await optimizer.addFiles(pictures.slice(5));
  await env.advance(10_000);
  expect(transcript.splice(0)).toEqual([
    '! notes.txt: TXT files cannot be optimized.',
    '8 images added',
    '8 images uploaded',
  ]);

  const analyzed = optimizer.analyze();
  await env.advance(20);
  const ids = service.session.images.map(({ id }) => id);
  for (const [index, id] of ids.entries()) {
    const metadata = describedAs(`Picture ${index}`);
    service.analyses[0]?.run.push(progressed(id, 'done', { status: 'completed', metadata, current: index + 1 }));
    await env.advance(1500);
  }
  const results = ids.map((imageId) => ({ imageId, status: 'completed', metadata: describedAs('x'), error: null }));
  service.analyses[0]?.run.push({ event: 'complete', data: { jobId: 'j', status: 'completed', results } } as never);
  await analyzed;
  await env.advance(5000);
  expect(transcript.splice(0)).toEqual([
    'Describing: 25 percent',
    'Describing: 50 percent',
    'Describing: 75 percent',
    '8 images described',
  ]);

  optimizer.acceptAll();
  await env.advance(3000);
  optimizer.undo();
  await env.advance(3000);
  expect(transcript.splice(0)).toEqual(['Texts of 8 images accepted', '24 changes undone']);

  const exported = optimizer.exportImages();
  await env.advance(20);
  for (const [index, id] of ids.entries()) {
    service.exports[0]?.run.push(progressed(id, 'done', { status: 'completed', current: index + 1 }));
    // Too fast for a sentence each.
    await env.advance(100);
  }
  service.exports[0]?.run.push(completed(ids.map((id, index) => (index === 3 ? failedResult(id) : resultOf(id)))));
  await exported;
  await env.advance(10_000);
  expect(transcript.splice(0)).toEqual([
    'Exporting: 25 percent',
    '! 1 image could not be exported and was not charged.',
    '7 images exported',
  ]);

  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(2000);
});

test('going offline and coming back is told once each', async () => {
  const { optimizer, env } = startOptimizer({ translate });
  const transcript: string[] = [];
  optimizer.onAnnounce(({ text }) => transcript.push(text));
  env.setOnline(false);
  await env.advance(5000);
  env.setOnline(true);
  await env.advance(5000);
  expect(transcript).toEqual(['Connection lost', 'Connected again']);
});

test('a text of the elements waits its turn', async () => {
  const { optimizer, env, said } = startOptimizer();
  optimizer.announce('First');
  optimizer.announce('Second', 'assertive');
  await env.advance(1000);
  expect(said).toEqual([{ text: 'Second', urgency: 'assertive' }]);
  await env.advance(2000);
  expect(said).toEqual([
    { text: 'Second', urgency: 'assertive' },
    { text: 'First', urgency: 'polite' },
  ]);
});
