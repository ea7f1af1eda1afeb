import { describe, expect, test } from 'vitest';
import {
  type BatchPorts,
  createBatchRun,
  type Effect,
  finishBatch,
  makeBatch,
} from '../../../plugin-bridge/batch/index.ts';

type Batch = { images: readonly string[] };
type Outcome = { image: string; effect: Effect };
type Ports = BatchPorts<string, Batch, string, Outcome>;

const IMAGES = ['a', 'b', 'c', 'd'];

/** A run that logs what it does, in order; `own` replaces ports. */
function scriptedRun(own: Partial<Ports> = {}, effects: { [image: string]: Effect } = {}) {
  const log: string[] = [];
  const ports: Ports = {
    journal: {
      begin: ({ images }) => void log.push(`begin ${images.join('')}`),
      exported: ({ images }) => void log.push(`exported ${images.join('')}`),
      settle: ({ image }) => void log.push(`settle ${image}`),
      putOff: ({ image }, effect, stops) => void log.push(`${effect} ${image}${stops ? ', stops' : ''}`),
    },
    async upload(images) {
      log.push(`upload ${images.join('')}`);
      return { batch: { images } };
    },
    async export({ images }) {
      log.push(`export ${images.join('')}`);
      return images;
    },
    async deliver(image) {
      log.push(`deliver ${image}`);
      return { image, effect: effects[image] ?? 'settled' };
    },
    effectOf: ({ effect }) => effect,
    onLost: ({ images }) => void log.push(`lost ${images.join('')}`),
    ...own,
  };
  return { run: createBatchRun(ports), log };
}

describe('a batch', () => {
  test('is in the journal before it is exported, and its results before they are delivered', async () => {
    const { run, log } = scriptedRun();
    await makeBatch(run, ['a', 'b']);
    expect(log).toEqual([
      'upload ab',
      'begin ab',
      'export ab',
      'exported ab',
      'deliver a',
      'settle a',
      'deliver b',
      'settle b',
    ]);
  });

  test('records each delivery before it begins', async () => {
    const log: string[] = [];
    const { run } = scriptedRun({
      journal: {
        begin: () => {},
        exported: () => {},
        delivering: (image) => void log.push(`delivering ${image}`),
        settle: ({ image }) => void log.push(`settle ${image}`),
      },
      async deliver(image) {
        log.push(`deliver ${image}`);
        return { image, effect: 'settled' };
      },
    });
    await makeBatch(run, ['a', 'b']);
    expect(log).toEqual(['delivering a', 'deliver a', 'settle a', 'delivering b', 'deliver b', 'settle b']);
  });

  test('waits for the journal before anything is paid', async () => {
    const log: string[] = [];
    const { run } = scriptedRun({
      journal: {
        async begin() {
          await new Promise((resolve) => setTimeout(resolve, 5));
          log.push('stored');
        },
        exported: () => {},
        settle: () => {},
      },
      async export() {
        log.push('export');
        return [];
      },
    });
    await makeBatch(run, ['a']);
    expect(log).toEqual(['stored', 'export']);
  });

  test('is not exported if the journal cannot store it', async () => {
    const { run, log } = scriptedRun({
      journal: { begin: () => Promise.reject(new Error('Disk full')), exported: () => {}, settle: () => {} },
    });
    await expect(makeBatch(run, ['a'])).rejects.toThrow('Disk full');
    expect(log).toEqual(['upload a']);
  });

  test('that is too large is halved until it fits', async () => {
    const uploads: string[] = [];
    const { run, log } = scriptedRun({
      async upload(images) {
        uploads.push(images.join(''));
        return images.length > 1 ? { split: images } : { batch: { images } };
      },
    });
    await makeBatch(run, IMAGES.slice(0, 3));
    expect(uploads).toEqual(['abc', 'ab', 'a', 'b', 'c']);
    expect(log.filter((line) => line.startsWith('settle'))).toEqual(['settle a', 'settle b', 'settle c']);
  });

  test('of which nothing was accepted costs nothing', async () => {
    const { run, log } = scriptedRun({
      async upload([image = ''], settle) {
        settle({ image, effect: 'settled' });
        return null;
      },
    });
    await makeBatch(run, ['a']);
    expect(log).toEqual(['settle a']);
  });

  test('uploaded by an interrupted run is exported without another upload', async () => {
    const { run, log } = scriptedRun();
    expect(await finishBatch(run, { images: ['a'] })).toBe(true);
    expect(log).toEqual(['export a', 'exported a', 'deliver a', 'settle a']);
  });

  test('that the service no longer has leaves the journal, and has to be made again', async () => {
    const { run, log } = scriptedRun({ export: async () => null });
    expect(await finishBatch(run, { images: ['a'] })).toBe(false);
    expect(log).toEqual(['exported a']);
  });

  test('lost right after its upload fails', async () => {
    const { run, log } = scriptedRun({ export: async () => null });
    await makeBatch(run, ['a']);
    expect(log).toEqual(['upload a', 'begin a', 'exported a', 'lost a']);
  });

  test('stays in the journal if its export ends the run', async () => {
    const { run, log } = scriptedRun({ export: () => Promise.reject(new Error('Offline')) });
    await expect(makeBatch(run, ['a'])).rejects.toThrow('Offline');
    expect(log).toEqual(['upload a', 'begin a']);
  });

  test('is not exported in a run that was stopped during its upload', async () => {
    const { run, log } = scriptedRun({ isStopped: () => true });
    await makeBatch(run, ['a']);
    expect(log).toEqual(['upload a', 'begin a']);
  });
});

describe('a delivery', () => {
  test('that fails for one image is put off, and the others are delivered', async () => {
    const { run, log } = scriptedRun({}, { b: 'later' });
    await finishBatch(run, { images: IMAGES });
    expect(log.slice(2)).toEqual([
      'deliver a',
      'settle a',
      'deliver b',
      'later b',
      'deliver c',
      'settle c',
      'deliver d',
      'settle d',
    ]);
  });

  test('that fails for two images in a row stops the batch', async () => {
    const { run, log } = scriptedRun({}, { b: 'later', c: 'later' });
    await finishBatch(run, { images: IMAGES });
    expect(log.slice(4)).toEqual(['deliver b', 'later b', 'deliver c', 'later c, stops']);
  });

  test('counts failures in a row over batches, and a settled image ends the row', async () => {
    const { run, log } = scriptedRun({}, { a: 'later', b: 'later', d: 'later' });
    await finishBatch(run, { images: ['a'] });
    await finishBatch(run, { images: ['b', 'c'] });
    expect(log.at(-1)).toBe('later b, stops');
    const other = scriptedRun({}, { a: 'later', d: 'later' });
    await finishBatch(other.run, { images: ['a', 'c', 'd', 'b'] });
    expect(other.log.at(-1)).toBe('settle b');
  });

  test('that no other image could pass stops at once', async () => {
    const { run, log } = scriptedRun({}, { a: 'stops' });
    await finishBatch(run, { images: IMAGES });
    expect(log.slice(2)).toEqual(['deliver a', 'stops a, stops']);
  });

  test('is made for paid results of a stopped run, but not of an aborted one', async () => {
    const stopped = scriptedRun({ isStopped: () => true });
    await finishBatch(stopped.run, { images: ['a'] });
    expect(stopped.log).toContain('settle a');
    const aborted = scriptedRun({ isAborted: () => true });
    await finishBatch(aborted.run, { images: ['a'] });
    expect(aborted.log).toEqual(['export a', 'exported a']);
  });
});
