import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProcessor, processingConfig } from '../../server/processing/index.ts';
import { type Harness, header, nasty, only, photo, startHarness } from './processor-harness.ts';

/** Slow enough to be caught in the middle: several seconds of AVIF. */
const SLOW = { format: 'avif', preset: 'maximum', widths: [4000, 3000, 2000] } as const;
const slowSource = photo('photo-dandelion.jpg');
const silent = { info() {}, warn() {}, error() {} };

async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 5) {
    if (waited > 15_000) throw new Error('the condition did not come true');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The processes that encode: the last one is for headers and previews. */
const encoders = (harness: Harness): number[] => harness.processor.stats().pids.slice(0, -1);

describe('a processor', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness({ WORKERS: 1 });
  });
  afterAll(() => harness.close());

  it('retries an image whose process is killed, and other images go on', async () => {
    let killed = 0;
    const results = await Promise.all([
      harness.render(nasty('png-16bit.png'), {
        format: 'avif',
        options: {
          onStep: (step) => {
            if (step !== 'optimize' || killed > 0) return;
            killed = encoders(harness)[0] ?? 0;
            process.kill(killed, 'SIGKILL');
          },
        },
      }),
      harness.render(nasty('jpeg-grey.jpg'), { format: 'webp' }),
    ]);
    expect(killed).toBeGreaterThan(0);
    for (const variants of results) expect((await header(only(variants).file)).width).toBe(1200);
    await until(() => encoders(harness).length === 1 && !encoders(harness).includes(killed));
    expect(await harness.leftovers()).toEqual([]);
  });

  it('retries when the process dies with files half made', async () => {
    let saves = 0;
    let killed = false;
    const variants = await harness.render(nasty('jpeg-grey.jpg'), {
      format: 'avif',
      widths: [100],
      options: {
        onStep: (step) => {
          if (step === 'save') saves += 1;
          // The first variant stands under its temporary name.
          if (step !== 'resize' || saves !== 1 || killed) return;
          killed = true;
          process.kill(encoders(harness)[0] ?? 0, 'SIGKILL');
        },
      },
    });
    expect(saves).toBe(3);
    expect(variants.map(({ name }) => name)).toEqual(['full', '100w']);
    expect(await harness.leftovers()).toEqual([]);
  });

  it('gives up an image that kills its process twice, and does not try it again', async () => {
    const steps: string[] = [];
    const deadly = {
      format: 'avif',
      identity: 'poison',
      options: {
        onStep: (step: string) => {
          steps.push(step);
          if (step === 'resize') process.kill(encoders(harness)[0] ?? 0, 'SIGKILL');
        },
      },
    } as const;
    await expect(harness.render(nasty('png-16bit.png'), deadly)).rejects.toMatchObject({ code: 'processing_failed' });
    expect(steps.filter((step) => step === 'load')).toHaveLength(2);
    steps.length = 0;
    await expect(harness.render(nasty('png-16bit.png'), deadly)).rejects.toMatchObject({ code: 'processing_failed' });
    expect(steps).toEqual([]);
    // In another format it may do well.
    only(await harness.render(nasty('png-16bit.png'), { format: 'webp', identity: 'poison' }));
    await expect(harness.render(nasty('png-16bit.png'), deadly)).rejects.toMatchObject({ code: 'processing_failed' });
    expect(steps).toEqual([]);
    // The same file under another name is not to blame, and the pool works.
    only(await harness.render(nasty('png-16bit.png'), { format: 'webp' }));
    expect(await harness.leftovers()).toEqual([]);
  });

  it('ends an aborted render at once and leaves no file', async () => {
    const abort = new AbortController();
    const [before] = encoders(harness);
    let abortedAt = 0;
    const render = harness.render(slowSource, {
      ...SLOW,
      widths: [200],
      variants: [{ name: '200w', width: 200 }, { name: 'full' }],
      options: {
        signal: abort.signal,
        onStep: (step) => {
          // The small variant is already saved under its temporary name.
          if (step !== 'save') return;
          setTimeout(() => {
            abortedAt = performance.now();
            abort.abort(new Error('the client left'));
          }, 100);
        },
      },
    });
    await expect(render).rejects.toThrow('the client left');
    expect(performance.now() - abortedAt).toBeLessThan(5000);
    expect(await harness.leftovers()).toEqual([]);
    expect(isAlive(before ?? 0)).toBe(false);
    expect(harness.processor.stats()).toMatchObject({ busy: 0, queued: 0, memoryBytes: 0 });
    only(await harness.render(nasty('jpeg-grey.jpg'), { format: 'webp' }));
  });

  it('ends an aborted render that still waits', async () => {
    const first = new AbortController();
    const running = harness.render(slowSource, { ...SLOW, options: { signal: first.signal } });
    await until(() => harness.processor.stats().busy === 1);
    const abort = new AbortController();
    const waiting = harness.render(nasty('jpeg-grey.jpg'), { format: 'webp', options: { signal: abort.signal } });
    await until(() => harness.processor.stats().queued === 1);
    abort.abort(new Error('never mind'));
    await expect(waiting).rejects.toThrow('never mind');
    first.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    await expect(
      harness.render(nasty('jpeg-grey.jpg'), {
        format: 'webp',
        options: { signal: AbortSignal.abort(new Error('early')) },
      }),
    ).rejects.toThrow('early');
  });

  it('probes and previews while an encode runs', async () => {
    const abort = new AbortController();
    const running = harness.render(slowSource, { ...SLOW, options: { signal: abort.signal } }).catch(() => {});
    await until(() => harness.processor.stats().busy === 1);
    const facts = await harness.facts(nasty('jpeg-exif-orientation-6.jpg'));
    const preview = await harness.processor.preview({
      source: nasty('jpeg-exif-orientation-6.jpg'),
      facts,
      width: 160,
      target: join(harness.folder, 'preview'),
    });
    // The encode takes much longer than both, so they did not wait for it.
    expect(harness.processor.stats().busy).toBe(1);
    expect(preview).toMatchObject({ width: 160, height: 300 });
    expect(await header(preview.file)).toMatchObject({ format: 'webp', width: 160, height: 300 });
    const same = await harness.processor.preview({
      source: nasty('png-1x1.png'),
      facts,
      width: 320,
      target: join(harness.folder, 'tiny'),
    });
    expect(same).toMatchObject({ width: 1, height: 1 });
    abort.abort();
    await running;
  });

  it('inspects among the encodes, so that previews need not wait for it', async () => {
    const encode = new AbortController();
    const running = harness.render(slowSource, { ...SLOW, options: { signal: encode.signal } }).catch(() => {});
    await until(() => harness.processor.stats().busy === 1);
    const source = nasty('jpeg-grey.jpg');
    const facts = await harness.facts(source);
    const leave = new AbortController();
    const inspections = [leave.signal, undefined].map((signal) => harness.processor.inspect({ source, facts }, signal));
    await until(() => harness.processor.stats().queued === 2);
    await harness.processor.preview({ source, facts, width: 160, target: join(harness.folder, 'meanwhile') });
    expect(harness.processor.stats()).toMatchObject({ busy: 1, queued: 2 });
    leave.abort(new Error('left'));
    await expect(inspections[0]).rejects.toThrow('left');
    encode.abort();
    await running;
    expect((await inspections[1])?.pixels?.facts).toMatchObject({ animated: false });
  });

  it('abandons an aborted probe without ending the process that answers the others', async () => {
    const pid = harness.processor.stats().pids.at(-1);
    const abort = new AbortController();
    const request = { file: nasty('jpeg-grey.jpg'), originalFilename: 'a.jpg' };
    const aborted = harness.processor.probe(request, abort.signal);
    abort.abort(new Error('hung up'));
    await expect(aborted).rejects.toThrow('hung up');
    expect(await harness.processor.probe(request)).toMatchObject({ format: 'jpeg' });
    expect(harness.processor.stats().pids.at(-1)).toBe(pid);
  });

  it('reports the steps in order', async () => {
    const steps: string[] = [];
    await harness.render(nasty('jpeg-grey.jpg'), {
      format: 'webp',
      widths: [100],
      options: { onStep: (step) => steps.push(step) },
    });
    expect(steps).toEqual(['load', 'resize', 'optimize', 'save', 'resize', 'optimize', 'save']);
  });

  it('says what the disk says when the folder vanished, and leaves nothing', async () => {
    const facts = await harness.facts(nasty('png-1x1.png'));
    const request = {
      source: nasty('png-1x1.png'),
      facts,
      format: 'webp',
      preset: 'high',
      keepCopyright: true,
    } as const;
    const variants = [{ name: 'full', target: join(harness.folder, 'no-such-folder', 'full') }];
    const render = harness.processor.render({ ...request, variants }, { group: 'test' });
    await expect(render).rejects.toMatchObject({ name: 'AppError', code: 'processing_failed' });
  });

  it('leaves none of the variants when the last one cannot be put in its place', async () => {
    const facts = await harness.facts(nasty('jpeg-grey.jpg'));
    const folder = await mkdtemp(join(harness.folder, 'publish-'));
    // A folder of that name is in the way.
    await mkdir(join(folder, 'full'));
    const variants = [
      { name: '80w', width: 80, target: join(folder, 'small') },
      { name: 'full', target: join(folder, 'full') },
    ];
    const request = { source: nasty('jpeg-grey.jpg'), facts, format: 'webp', preset: 'high' } as const;
    const render = harness.processor.render({ ...request, keepCopyright: true, variants }, { group: 'test' });
    await expect(render).rejects.toMatchObject({ code: 'processing_failed' });
    expect(await readdir(folder)).toEqual(['full']);
  });

  it('says that a file is away instead of calling it damaged', async () => {
    const probe = harness.processor.probe({ file: join(harness.folder, 'absent.jpg'), originalFilename: 'absent.jpg' });
    await expect(probe).rejects.toMatchObject({ code: 'processing_failed' });
    const facts = await harness.facts(nasty('png-1x1.png'));
    const request = { source: join(harness.folder, 'absent.jpg'), facts, format: 'webp', preset: 'high' } as const;
    const render = harness.processor.render(
      { ...request, keepCopyright: true, variants: [{ name: 'full', target: join(harness.folder, 'never') }] },
      { group: 'test' },
    );
    await expect(render).rejects.toMatchObject({ code: 'processing_failed' });
  });
});

describe('limits of a processor', () => {
  it('kills what takes too long', async () => {
    const harness = await startHarness({ WORKERS: 1, IMAGE_TIMEOUT_SECONDS: 1 });
    const [before] = encoders(harness);
    await expect(harness.render(slowSource, SLOW)).rejects.toMatchObject({
      code: 'processing_timeout',
      details: { limit: 1 },
    });
    expect(isAlive(before ?? 0)).toBe(false);
    expect(await harness.leftovers()).toEqual([]);
    only(await harness.render(nasty('png-1x1.png'), { format: 'webp' }));
    await harness.close();
  });

  it('refuses probes above the queue limit with Retry-After', async () => {
    const harness = await startHarness({ WORKERS: 1, PROBE_QUEUE_LIMIT: 2 });
    const probes = Array.from({ length: 10 }, () =>
      harness.processor.probe({ file: nasty('jpeg-grey.jpg'), originalFilename: 'a.jpg' }),
    );
    const settled = await Promise.allSettled(probes);
    const refused = settled.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(7);
    expect(refused[0]?.reason).toMatchObject({
      code: 'overloaded',
      headers: { 'Retry-After': expect.stringMatching(/^\d+$/) },
    });
    await harness.close();
  });

  it('refuses to start when a worker still loads SVG and native files', async () => {
    const processor = createProcessor({
      config: processingConfig.parse({ WORKERS: 1 }),
      logger: silent,
      blockLoaders: false,
    });
    await expect(processor.start()).rejects.toThrow(/svg, v/);
    expect(processor.stats().pids).toEqual([]);
    await expect(processor.probe({ file: nasty('png-1x1.png'), originalFilename: 'a' })).rejects.toMatchObject({
      code: 'shutting_down',
    });
  });

  it('ends its processes and its waiting tasks when it is closed', async () => {
    const harness = await startHarness({ WORKERS: 1 });
    const pids = harness.processor.stats().pids;
    const running = harness.render(slowSource, SLOW);
    await until(() => harness.processor.stats().busy === 1);
    const waiting = harness.render(nasty('png-1x1.png'), { format: 'webp' });
    await until(() => harness.processor.stats().queued === 1);
    const outcomes = Promise.allSettled([running, waiting]);
    await harness.processor.close();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'shutting_down' } });
    }
    expect(pids.some(isAlive)).toBe(false);
    expect(await harness.leftovers()).toEqual([]);
    await harness.close();
  });

  it('gives its processes nothing of the environment but what they need', async () => {
    process.env.SECRET_OF_THE_SERVICE = 'x';
    const harness = await startHarness({ WORKERS: 1 });
    const environment = execFileSync('cat', [`/proc/${encoders(harness)[0]}/environ`], { encoding: 'utf8' });
    expect(environment).toContain('VIPS_BLOCK_UNTRUSTED=1');
    expect(environment).toContain('MALLOC_ARENA_MAX=1');
    expect(environment).not.toContain('SECRET_OF_THE_SERVICE');
    delete process.env.SECRET_OF_THE_SERVICE;
    await harness.close();
  });
});

describe('the service process', () => {
  it('never loads the image library itself', () => {
    const entry = new URL('../../server/processing/index.ts', import.meta.url).href;
    const script = `import('${entry}').then((m) => { m.variantKey({ variant: {} });
      console.log(/libvips|sharp/.test(require('fs').readFileSync('/proc/self/maps', 'utf8'))); })`;
    expect(execFileSync(process.execPath, ['--import', 'tsx', '-e', script], { encoding: 'utf8' }).trim()).toBe(
      'false',
    );
  });
});

describe('a full disk', () => {
  it('is insufficient_storage and leaves nothing', async (context) => {
    const folder = await mkdtemp(join(tmpdir(), 'imagewright-disk-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' });
    } catch {
      await rm(folder, { recursive: true });
      return context.skip('mounting a small file system is not permitted here');
    }
    const harness = await startHarness({ WORKERS: 1 });
    try {
      const noise = sharp({
        create: {
          width: 400,
          height: 400,
          channels: 3,
          background: '#888',
          noise: { type: 'gaussian', mean: 128, sigma: 60 },
        },
      });
      const source = await harness.store('noise.png', await noise.png().toBuffer());
      const facts = await harness.facts(source);
      const request = { source, facts, format: 'png', preset: 'high', keepCopyright: true } as const;
      const variants = [
        { name: '40w', width: 40, target: join(folder, 'small') },
        { name: 'full', target: join(folder, 'full') },
      ];
      await expect(harness.processor.render({ ...request, variants }, { group: 'g' })).rejects.toMatchObject({
        code: 'insufficient_storage',
      });
      expect(execFileSync('ls', ['-A', folder], { encoding: 'utf8' })).toBe('');
      await harness.processor.render({ ...request, variants: variants.slice(0, 1) }, { group: 'g' });
      expect(execFileSync('ls', ['-A', folder], { encoding: 'utf8' })).toBe('small\n');
    } finally {
      await harness.close();
      execFileSync('umount', [folder]);
      await rm(folder, { recursive: true });
    }
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
