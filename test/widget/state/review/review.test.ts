import { expect, test } from 'vitest';
import { apiError, connectionError, createScriptedService, describedAs, imageOf } from '../scripted-service.ts';
import { startOptimizer, startWithFiles } from '../started-optimizer.ts';
import { createTestEnvironment } from '../test-environment.ts';

/** A session with two described images. */
async function attached(replace: Parameters<typeof createScriptedService>[0] = {}) {
  const service = createScriptedService(replace);
  const needsReview = ['people'];
  service.session.images = [
    imageOf('img_1', { metadata: describedAs('One', { needsReview }) }),
    imageOf('img_2', { metadata: describedAs('Two') }),
  ];
  const started = startOptimizer({}, { service });
  await started.optimizer.attach('sess_1');
  const [first = '', second = ''] = started.ids();
  return { ...started, first, second };
}

test('typing is sent once, after a pause, per image', async () => {
  const { optimizer, service, env, first } = await attached();
  for (const text of ['H', 'He', 'Hel', 'Hello']) {
    optimizer.setMetadata(first, 'alt', text);
    await env.advance(100);
  }
  expect(optimizer.items.get(first)).toMatchObject({ saving: 'pending', origins: { alt: 'user' } });
  expect(service.patches).toEqual([]);
  await env.advance(700);
  expect(service.patches).toEqual([{ imageId: 'img_1', metadata: { alt: 'Hello' } }]);
  expect(optimizer.items.get(first)?.saving).toBe('saved');
});

test('undo takes back what was typed in one go, redo brings it again, and both reach the service', async () => {
  const { optimizer, service, env, first } = await attached();
  optimizer.setMetadata(first, 'alt', 'A');
  optimizer.setMetadata(first, 'alt', 'AB');
  await env.advance(5000);
  optimizer.setMetadata(first, 'alt', 'ABC');
  optimizer.undo();
  expect(optimizer.items.get(first)?.metadata.alt).toBe('AB');
  optimizer.undo();
  expect(optimizer.items.get(first)).toMatchObject({ metadata: { alt: 'One' }, origins: { alt: 'ai' } });
  expect(optimizer.canUndo).toBe(false);
  optimizer.redo();
  await env.advance(1000);
  expect(optimizer.items.get(first)?.metadata.alt).toBe('AB');
  expect(service.patches.at(-1)).toEqual({ imageId: 'img_1', metadata: { alt: 'AB' } });
});

test('accept all makes every text a person’s own, and is undone as one step', async () => {
  const { optimizer, service, env, first, second } = await attached();
  expect(optimizer.counts).toMatchObject({ unaccepted: 2, review: 1 });
  optimizer.acceptAll();
  expect(optimizer.counts).toMatchObject({ unaccepted: 0, review: 0 });
  expect(optimizer.items.get(first)?.origins).toMatchObject({ alt: 'user', title: 'user', filename: 'user' });
  await env.advance(1000);
  expect(service.patches.map(({ imageId }) => imageId).sort()).toEqual(['img_1', 'img_2']);
  expect(service.patches[0]?.metadata).toEqual({ filename: 'a-file', title: 'A title', alt: 'One' });
  optimizer.undo();
  expect(optimizer.items.get(second)?.origins.alt).toBe('ai');
  expect(optimizer.canUndo).toBe(false);
});

test('decorative empties the alternative text, and gives it back', async () => {
  const { optimizer, service, env, first } = await attached();
  optimizer.setDecorative(first, true);
  expect(optimizer.items.get(first)?.metadata).toMatchObject({ decorative: true, alt: '' });
  expect(optimizer.counts.missing).toBe(0);
  await env.advance(1000);
  expect(service.patches.at(-1)?.metadata).toEqual({ decorative: true, alt: '' });
  optimizer.setMetadata(first, 'decorative', false);
  expect(optimizer.items.get(first)?.metadata).toMatchObject({ decorative: false, alt: 'One' });
});

test('an empty text is an unknown one', async () => {
  const { optimizer, first } = await attached();
  optimizer.setMetadata(first, 'alt', '   ');
  expect(optimizer.items.get(first)?.metadata.alt).toBeNull();
  expect(optimizer.counts.missing).toBe(1);
});

test('a listener can prevent an edit', async () => {
  const { optimizer, first, details } = await attached();
  optimizer.on((event) => {
    if (event.type === 'io-metadata-change' && event.detail.origin === 'user') event.preventDefault();
  });
  optimizer.setMetadata(first, 'title', 'No');
  expect(optimizer.items.get(first)?.metadata.title).toBe('A title');
  expect(details('io-metadata-change')).toEqual([
    { id: first, field: 'title', value: 'No', previous: 'A title', origin: 'user' },
  ]);
});

test('the filter shows images without text, and a row stays while its text is written', async () => {
  const { optimizer, first, second } = await attached();
  optimizer.setMetadata(first, 'alt', '');
  optimizer.setFilter('missing');
  expect(optimizer.items.visible().map(({ id }) => id)).toEqual([first]);
  optimizer.setMetadata(first, 'alt', 'Now it has one');
  expect(optimizer.items.visible().map(({ metadata }) => metadata.alt)).toEqual(['Now it has one']);
  optimizer.setFilter('all');
  expect(optimizer.items.visible().map(({ id }) => id)).toEqual([first, second]);
});

test('a save that fails is tried again, then said, then retried by hand', async () => {
  let down = true;
  const patches: unknown[] = [];
  const { optimizer, env, first, details } = await attached({
    async updateImage(_session, imageId, metadata) {
      if (down) throw connectionError();
      patches.push(metadata);
      return imageOf(imageId);
    },
  });
  optimizer.setMetadata(first, 'alt', 'Precious');
  await env.advance(60_000);
  expect(optimizer.items.get(first)).toMatchObject({ saving: 'failed', metadata: { alt: 'Precious' } });
  expect(details('io-error')).toMatchObject([{ phase: 'save', error: { code: 'network' } }]);
  expect(optimizer.notices).toMatchObject([{ message: 'notice.save_failed 1', actions: ['retry'] }]);
  down = false;
  void optimizer.retry();
  await env.advance(1000);
  expect(patches).toEqual([{ alt: 'Precious' }]);
  expect(optimizer.items.get(first)?.saving).toBe('saved');
  expect(optimizer.notices).toEqual([]);
});

test('an edit that had not reached the service survives a reload', async () => {
  const stored = new Map<string, string>();
  const service = createScriptedService({
    updateImage: async () => {
      throw apiError(503, 'overloaded');
    },
  });
  service.session.images = [imageOf('img_1', { metadata: describedAs('One') })];
  const before = startOptimizer({}, { service, env: createTestEnvironment(stored) });
  await before.optimizer.attach('sess_1');
  before.optimizer.setMetadata(before.ids()[0] ?? '', 'alt', 'Typed just before the reload');
  before.optimizer.dispose();

  const after = createScriptedService();
  after.session.images = service.session.images;
  const { optimizer, env } = startOptimizer({}, { service: after, env: createTestEnvironment(stored) });
  await optimizer.attach('sess_1');
  expect(optimizer.items.list()[0]).toMatchObject({ metadata: { alt: 'Typed just before the reload' } });
  await env.advance(1000);
  expect(after.patches).toEqual([{ imageId: 'img_1', metadata: { alt: 'Typed just before the reload' } }]);
});

test('what is written while the file is still uploaded is saved after it', async () => {
  let finish = () => {};
  const waiting = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const good = createScriptedService();
  const service = createScriptedService({
    async createSession(what, options) {
      await waiting;
      return good.transport.createSession(what, options);
    },
    updateImage: good.transport.updateImage,
  });
  const { optimizer, env, ids } = await startWithFiles(1, {}, { service });
  optimizer.setMetadata(ids()[0] ?? '', 'alt', 'Early');
  await env.advance(2000);
  finish();
  await env.advance(1000);
  expect(good.patches).toEqual([{ imageId: 'img_1', metadata: { alt: 'Early' } }]);
  expect(optimizer.items.list()[0]).toMatchObject({ status: 'ready', metadata: { alt: 'Early' }, saving: 'saved' });
});

test('accepting hundreds of texts does not flood the service', async () => {
  const open: (() => void)[] = [];
  const service = createScriptedService({
    async updateImage(_session, imageId) {
      await new Promise<void>((resolve) => open.push(resolve));
      return imageOf(imageId);
    },
  });
  service.session.images = Array.from({ length: 50 }, (_, index) =>
    imageOf(`img_${index}`, { metadata: describedAs(`Text ${index}`) }),
  );
  const { optimizer, env } = startOptimizer({}, { service });
  await optimizer.attach('sess_1');
  optimizer.acceptAll();
  await env.advance(1000);
  for (let saved = 0; saved < 50; ) {
    expect(open).toHaveLength(Math.min(4, 50 - saved));
    for (const answer of open.splice(0)) {
      saved += 1;
      answer();
    }
    await env.advance(10);
  }
  expect(optimizer.items.list().every(({ saving }) => saving === 'saved')).toBe(true);
});

test('texts of images that are no longer at the service are told so, with what to do instead of a second try', async () => {
  const service = createScriptedService({
    updateImage: async () => {
      throw apiError(404, 'session_not_found');
    },
  });
  const { optimizer, env, ids, said } = await startWithFiles(1, {}, { service });
  optimizer.setMetadata(ids()[0] ?? '', 'alt', 'A bridge');
  await env.advance(10_000);
  expect(optimizer.notices).toMatchObject([{ message: 'notice.expired 24', actions: ['renew'] }]);
  expect(said).toContainEqual({ text: expect.stringContaining('error.not_found'), urgency: 'assertive' });
  // Nothing is exported with words that are not there.
  expect(await optimizer.exportImages()).toBeNull();
  expect(service.exports).toEqual([]);
});

test('texts that are written without a connection wait for it, and nobody is told that they are lost', async () => {
  const patches: unknown[] = [];
  let connected = true;
  const { optimizer, env, first, said, details } = await attached({
    async updateImage(_session, imageId, metadata) {
      if (!connected) throw connectionError();
      patches.push(metadata);
      return imageOf(imageId);
    },
  });
  connected = false;
  env.setOnline(false);
  optimizer.setMetadata(first, 'alt', 'Written on a train');
  await env.advance(120_000);
  expect(optimizer.items.get(first)?.saving).toBe('pending');
  expect(said.filter(({ urgency }) => urgency === 'assertive')).toEqual([]);
  expect([optimizer.notices, details('io-error')]).toEqual([[], []]);
  connected = true;
  env.setOnline(true);
  await env.advance(1000);
  expect(patches).toEqual([{ alt: 'Written on a train' }]);
  expect(optimizer.items.get(first)?.saving).toBe('saved');
});
