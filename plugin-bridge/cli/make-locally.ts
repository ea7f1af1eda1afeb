import type { Engine } from '../../server/processing/index.ts';
import { CliError, EXIT } from './exit-codes.ts';
import { endsTheRun, failureOf } from './failures.ts';
import { forEachLimited } from './files-on-disk.ts';
import { type LocalCache, openLocalCache } from './local-cache.ts';
import { groupByKey, type Work } from './make-batches.ts';
import { LOCAL, type StoredResult } from './manifest.ts';
import { cacheFolder } from './record-path.ts';
import type { Makes, Run, Tools } from './run.ts';

/** Creates what makes the images of a run on this machine, with the bytes that a service makes. */
export function makesLocally(run: Run): Makes {
  const { options, signal } = run;
  const cache = openLocalCache(cacheFolder(options.out, run.env));
  return {
    fetchFile: (_result, { sha256 }) => cache.read(sha256),
    async make(sources, tools) {
      const work = groupByKey(sources);
      if (work.length === 0) return;
      const engine = await start(options.concurrency);
      try {
        // One more than processes, so that none waits for a file to be written.
        await forEachLimited(work, engine.workers + 1, async (one) => {
          signal.throwIfAborted();
          await makeOne({ run, engine, cache, tools }, one);
        });
      } finally {
        await engine.close();
        await cache.sweep();
      }
    },
  };
}

async function start(workers: number | null): Promise<Engine> {
  try {
    // Loaded only here: it takes longer than all else of the program.
    const { startEngine } = await import('../../server/processing/index.ts');
    return await startEngine(workers === null ? {} : { workers });
  } catch (error) {
    const why = `The images cannot be made on this machine: ${failureOf(error).message}`;
    throw new CliError(EXIT.unexpected, 'engine', why, error);
  }
}

interface Making {
  run: Run;
  engine: Engine;
  cache: LocalCache;
  tools: Tools;
}

async function makeOne({ run, engine, cache, tools }: Making, { key, sources }: Work): Promise<void> {
  const { options, signal, manifest } = run;
  const { delivery, progress, settle } = tools;
  const [first] = sources;
  progress.at(first, 0, `encoding ${first.below}`);
  try {
    const made = await engine.optimize(
      { source: first.path, settings: options.settings, folder: cache.folder },
      { signal },
    );
    if (made.source.sha256 !== first.sha256) throw new Error('The file was changed while it was read');
    const result: StoredResult = {
      endpoint: LOCAL,
      sessionId: '',
      exportedAt: new Date().toISOString(),
      originalBytes: made.source.size,
      files: await Promise.all(
        made.files.map(async ({ variant, format, path, size, width, height, sha256, quality, lacks }) => {
          await cache.keep(path, sha256);
          const named = options.settings.formats === undefined ? { variant } : { variant, format };
          return { ...named, filename: '', sha256, size, width, height, quality, ...(lacks && { lacks }) };
        }),
      ),
      warnings: made.warnings,
      metadata: null,
      ...(made.placeholder === undefined ? {} : { placeholder: made.placeholder }),
    };
    manifest.content.results[key] = result;
    // Before the first file is written, so that the next run knows it after a kill.
    await manifest.save();
    for (const source of sources) {
      await delivery.deliver(source, result);
      settle({ source, status: 'made', result });
    }
  } catch (error) {
    if (endsTheRun(error)) throw error;
    for (const source of sources) settle({ source, status: 'failed', error: failureOf(error) });
  }
}
