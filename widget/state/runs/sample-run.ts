import type { ImageResult, Preset } from '#contract';
import { SAMPLE_IMAGE_LIMIT } from '#contract/constants';
import type { Core } from '../core.ts';
import { failure } from '../errors.ts';
import { itemsOf, orderOf } from '../review/item-questions.ts';
import type { MetadataSaver } from '../review/metadata-saver.ts';
import { requestSettings } from '../session/settings.ts';
import type { Item } from '../types.ts';
import { type OpenStream, readRunJob } from './read-run-job.ts';
import { failRun, type Results, restItems } from './results.ts';
import { createRunProgress } from './run-progress.ts';
import type { Runs } from './runs.ts';

/** Picks the images of a sample: the largest of each format, then images spread over the list. */
export function pickSamples(items: readonly Item[]): Item[] {
  const bySize = [...items].sort((a, b) => (b.size ?? 0) - (a.size ?? 0));
  const formats = new Set(items.map(({ image }) => image?.format));
  const picked = new Set([...formats].flatMap((format) => bySize.find(({ image }) => image?.format === format) ?? []));
  const step = Math.max(1, items.length / SAMPLE_IMAGE_LIMIT);
  for (let at = 0; at < items.length; at += step) picked.add(items[Math.floor(at)] as Item);
  for (const item of items) picked.add(item);
  const chosen = new Set([...picked].slice(0, SAMPLE_IMAGE_LIMIT));
  return items.filter((item) => chosen.has(item));
}

/** Creates the free samples of the element. */
export function createSampleRun(deps: { core: Core; runs: Runs; saver: MetadataSaver; results: Results }) {
  const { core, runs, saver, results } = deps;
  const { store } = core;

  async function read(open: OpenStream<ImageResult>, total: number, signal: AbortSignal) {
    const progress = createRunProgress(core, runs, { phase: 'sample', status: 'sampling', total });
    try {
      const end = await readRunJob(core, open, signal, progress.take);
      for (const result of end.results) results.takeSample(result);
      const good = end.results.filter(({ status }) => status === 'completed');
      progress.end(good.length, end.results.length - good.length);
      if (good.length > 0) core.emit('io-sample', { results: good });
      if (end.error && end.error.code !== 'job_cancelled') runs.fail(end.error, 'sample', ['retry']);
      else core.notices.drop('error-sample');
    } catch (cause) {
      progress.end(0, 0);
      failRun(core, runs, 'sampling', 'sample', cause);
    } finally {
      restItems(core, 'sampling');
    }
  }

  return {
    /** Samples the given images, or a choice of all. @throws RangeError for more than {@link SAMPLE_IMAGE_LIMIT} */
    async sample(ids?: readonly string[]) {
      if (ids && ids.length > SAMPLE_IMAGE_LIMIT) throw new RangeError(core.t('error.sample_limit'));
      const uploaded = itemsOf(store, ids).filter(({ imageId }) => imageId !== null);
      const wanted = ids ? uploaded : pickSamples(uploaded);
      const images = wanted.flatMap(orderOf);
      const { sessionId } = core;
      if (images.length === 0 || !sessionId) return;
      await runs.start('sampling', async (signal) => {
        await saver.flush();
        if (signal.aborted) return;
        for (const { id } of wanted) store.patch(id, { status: 'sampling', step: 'queued', progress: 0, error: null });
        const body = { images, settings: requestSettings(core.settings) };
        const open = (closing: AbortSignal) => core.transport().sampleImages(sessionId, body, { signal: closing });
        await read(open, images.length, signal);
      });
    },
    /**
     * Samples one image with another preset, beside any run, without responsive sizes. The item keeps its sample.
     * @throws OptimizerError if the service refuses it or fails
     */
    async samplePreset(id: string, preset: Preset, signal: AbortSignal): Promise<ImageResult> {
      const imageId = store.get(id)?.imageId;
      const { sessionId } = core;
      try {
        if (!imageId || !sessionId) throw failure('not_found');
        const settings = requestSettings({ ...core.settings, preset, responsive: false, formats: undefined });
        const body = { images: [{ id: imageId }], settings };
        const open = (closing: AbortSignal) => core.transport().sampleImages(sessionId, body, { signal: closing });
        const { results, error } = await readRunJob(core, open, signal, () => {});
        if (results[0]?.status === 'completed') return results[0];
        throw results[0]?.error ?? error;
      } catch (cause) {
        throw signal.aborted ? cause : core.report(cause, 'sample', [id]);
      }
    },
    /** Follows a sample in progress at the service. */
    follow(jobId: string, total: number) {
      return runs.start('sampling', (signal) =>
        read(
          ((closing) => core.transport().followJob(jobId, { signal: closing })) as OpenStream<ImageResult>,
          total,
          signal,
        ),
      );
    },
  };
}

/** Samples of the element. */
export type SampleRun = ReturnType<typeof createSampleRun>;
