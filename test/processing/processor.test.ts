import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { probeOf, turnOf } from '../support/turn.ts';
import {
  encoders,
  type Harness,
  header,
  isAlive,
  nasty,
  only,
  photo,
  SLOW,
  slowSource,
  startHarness,
  until,
} from './processor-harness.ts';

describe('a processor', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness({ WORKERS: 1 });
  });
  afterAll(() => harness.close());

  it('retries an image whose process is killed, without affecting other images', async () => {
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

  it('retries if the process dies with incomplete files', async () => {
    let saves = 0;
    let killed = false;
    // The second one takes half a second, so that it is not finished when its process is killed.
    const variants = await harness.render(photo('photo-brushes.jpg'), {
      format: 'avif',
      variants: [{ name: '100w', width: 100 }, { name: 'full' }],
      options: {
        onStep: (step) => {
          if (step === 'save') saves += 1;
          // The first variant has its temporary name.
          if (step !== 'resize' || saves !== 1 || killed) return;
          killed = true;
          process.kill(encoders(harness)[0] ?? 0, 'SIGKILL');
        },
      },
    });
    expect(saves).toBe(3);
    expect(variants.map(({ name }) => name)).toEqual(['100w', 'full']);
    expect(await harness.leftovers()).toEqual([]);
  });

  it('refuses an image that kills its process twice, and does not try it again', async () => {
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
    const reason = 'its process was killed, most likely for lack of memory';
    await expect(harness.render(nasty('png-16bit.png'), deadly)).rejects.toMatchObject({
      code: 'processing_failed',
      message: expect.stringContaining(reason),
    });
    expect(harness.warnings.at(-1)).toMatchObject({
      round: 2,
      reason: expect.stringMatching(/ MB\); set a lower WORKERS/),
    });
    expect(steps.filter((step) => step === 'load')).toHaveLength(2);
    steps.length = 0;
    await expect(harness.render(nasty('png-16bit.png'), deadly)).rejects.toMatchObject({ code: 'processing_failed' });
    expect(steps).toEqual([]);
    // It may succeed in another format.
    only(await harness.render(nasty('png-16bit.png'), { format: 'webp', identity: 'poison' }));
    await expect(harness.render(nasty('png-16bit.png'), deadly)).rejects.toMatchObject({ code: 'processing_failed' });
    expect(steps).toEqual([]);
    // The same file under another name is not in the quarantine, and the pool works.
    only(await harness.render(nasty('png-16bit.png'), { format: 'webp' }));
    expect(await harness.leftovers()).toEqual([]);
  });

  it('ends an aborted render at once and leaves no file', async () => {
    const abort = new AbortController();
    const [before] = encoders(harness);
    const render = harness.render(slowSource, {
      ...SLOW,
      widths: [200],
      variants: [{ name: '200w', width: 200 }, { name: 'full' }],
      options: {
        signal: abort.signal,
        onStep: (step) => {
          // The small variant is already saved under its temporary name.
          if (step !== 'save') return;
          setTimeout(() => abort.abort(new Error('the client left')), 100);
        },
      },
    });
    await expect(render).rejects.toThrow('the client left');
    expect(await harness.leftovers()).toEqual([]);
    expect(isAlive(before ?? 0)).toBe(false);
    expect(harness.processor.stats()).toMatchObject({ busy: 0, queued: 0, memoryBytes: 0 });
    only(await harness.render(nasty('jpeg-grey.jpg'), { format: 'webp' }));
  });

  it('ends an aborted render in the queue', async () => {
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

  const listening = { signal: new AbortController().signal, hasCaller: () => true };

  it('probes while an encode runs', async () => {
    const abort = new AbortController();
    const running = harness.render(slowSource, { ...SLOW, options: { signal: abort.signal } }).catch(() => {});
    await until(() => harness.processor.stats().busy === 1);
    await harness.facts(nasty('jpeg-exif-orientation-6.jpg'));
    // The encode takes much longer, so the probe did not wait for it.
    expect(harness.processor.stats().busy).toBe(1);
    abort.abort();
    await running;
  });

  it('previews upright, and never enlarges', async () => {
    const source = nasty('jpeg-exif-orientation-6.jpg');
    const order = { account: 'account', source, facts: await harness.facts(source), width: 160 };
    const preview = await harness.processor.preview({ ...order, target: join(harness.folder, 'preview') }, listening);
    expect(preview).toMatchObject({ width: 160, height: 300 });
    expect(await header(preview.file)).toMatchObject({ format: 'webp', width: 160, height: 300 });
    const tiny = { ...order, source: nasty('png-1x1.png'), target: join(harness.folder, 'tiny') };
    expect(await harness.processor.preview(tiny, listening)).toMatchObject({ width: 1, height: 1 });
  });

  it('inspects and previews in the encoding queue, so that uploads do not wait for it', async () => {
    const encode = new AbortController();
    const running = harness.render(slowSource, { ...SLOW, options: { signal: encode.signal } }).catch(() => {});
    await until(() => harness.processor.stats().busy === 1);
    const source = nasty('jpeg-grey.jpg');
    const facts = await harness.facts(source);
    const leave = new AbortController();
    const inspect = (signal?: AbortSignal) =>
      harness.processor.inspect({ source, facts }, { turn: turnOf(), ...(signal && { signal }) });
    const left = inspect(leave.signal);
    const inspected = inspect();
    const target = join(harness.folder, 'later');
    const preview = harness.processor.preview({ account: 'account', source, facts, width: 160, target }, listening);
    await until(() => harness.processor.stats().queued === 3);
    await harness.facts(source);
    expect(harness.processor.stats()).toMatchObject({ busy: 1, queued: 3 });
    leave.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    encode.abort();
    await running;
    expect((await inspected).pixels?.facts).toMatchObject({ animated: false });
    expect(await preview).toMatchObject({ file: target });
  });

  it('abandons an aborted probe without ending its process', async () => {
    const pid = harness.processor.stats().pids.at(-1);
    const abort = new AbortController();
    const request = probeOf(nasty('jpeg-grey.jpg'), 'a.jpg');
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

  it('reports a missing folder and leaves no file', async () => {
    const facts = await harness.facts(nasty('png-1x1.png'));
    const request = {
      source: nasty('png-1x1.png'),
      facts,
      format: 'webp',
      preset: 'high',
      metadata: 'rights',
    } as const;
    const variants = [{ name: 'full', target: join(harness.folder, 'no-such-folder', 'full') }];
    const render = harness.processor.render({ ...request, variants }, { turn: turnOf() });
    await expect(render).rejects.toMatchObject({ name: 'AppError', code: 'processing_failed' });
  });

  it('leaves no variant if the last one cannot be published', async () => {
    const facts = await harness.facts(nasty('jpeg-grey.jpg'));
    const folder = await mkdtemp(join(harness.folder, 'publish-'));
    // A folder of that name prevents the rename. The error stays as it came: its job logs it and names a code.
    await mkdir(join(folder, 'full'));
    const variants = [
      { name: '80w', width: 80, target: join(folder, 'small') },
      { name: 'full', target: join(folder, 'full') },
    ];
    const request = { source: nasty('jpeg-grey.jpg'), facts, format: 'webp', preset: 'high' } as const;
    const render = harness.processor.render({ ...request, metadata: 'rights', variants }, { turn: turnOf() });
    await expect(render).rejects.toMatchObject({ code: 'EISDIR' });
    expect(await readdir(folder)).toEqual(['full']);
  });

  it('reports a missing file as missing, not as damaged', async () => {
    const probe = harness.processor.probe(probeOf(join(harness.folder, 'absent.jpg')));
    await expect(probe).rejects.toMatchObject({ code: 'processing_failed' });
    const facts = await harness.facts(nasty('png-1x1.png'));
    const request = { source: join(harness.folder, 'absent.jpg'), facts, format: 'webp', preset: 'high' } as const;
    const render = harness.processor.render(
      { ...request, metadata: 'rights', variants: [{ name: 'full', target: join(harness.folder, 'never') }] },
      { turn: turnOf() },
    );
    await expect(render).rejects.toMatchObject({ code: 'processing_failed' });
  });
});
