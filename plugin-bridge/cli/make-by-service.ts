import { createBatchRun, finishBatch, makeBatch } from '../batch/index.ts';
import { ApiError, createClient } from '../sdk/index.ts';
import { batchOf, createBatchPorts } from './batch-ports.ts';
import { askForCost, type Cost, requireCredits } from './cost.ts';
import { GoneError } from './deliver.ts';
import { forEachLimited } from './files-on-disk.ts';
import { groupByKey, makeBatches } from './make-batches.ts';
import { LOCAL } from './manifest.ts';
import type { Service } from './options.ts';
import type { Makes, Run } from './run.ts';

/** Batches at once without `--concurrency`. */
const CONCURRENCY = 2;

/** Creates what makes the images of a run at a service. */
export function makesByService(run: Run, service: Service): Makes {
  const { options, signal, manifest, credits, notices } = run;
  const client = createClient(service);
  return {
    async fetchFile({ endpoint, sessionId }, { filename, address = filename }) {
      if (endpoint === LOCAL) throw new GoneError(`${filename} was made on this machine`);
      try {
        const blob = await client.downloadFile(sessionId, address, { signal });
        return new Uint8Array(await blob.arrayBuffer());
      } catch (error) {
        const isGone = error instanceof ApiError && error.status === 404 && error.code !== 'not_found';
        throw isGone ? new GoneError(`The service no longer has ${filename}`, { cause: error }) : error;
      }
    },
    async make(sources, { delivery, progress, settle }) {
      const { endpoint } = service;
      const context = { client, endpoint, manifest, delivery, options, progress, credits, notices, signal, settle };
      const batches = createBatchRun(createBatchPorts(context));
      let work = groupByKey(sources);
      for (const batch of manifest.pendingAt(endpoint)) {
        const keys = new Set(batch.images.map(({ key }) => key));
        const begun = work.filter(({ key }) => keys.has(key));
        if (begun.length === 0 || !(await finishBatch(batches, batchOf(batch, begun)))) continue;
        work = work.filter(({ key }) => !keys.has(key));
      }
      if (work.length === 0) return;
      await requireCredits(client, { images: work.length, analyze: options.analyze !== null, signal });
      await forEachLimited(makeBatches(work), options.concurrency ?? CONCURRENCY, async (batch) => {
        await makeBatch(batches, batch);
        await manifest.save();
      });
    },
  };
}

/** Asks the service for the price of a plan, and notes what would not be paid. Changes nothing. */
export async function previewCost({ options, plan, manifest, signal, notices }: Run, service: Service): Promise<Cost> {
  const batches = manifest.pendingAt(service.endpoint);
  const pending = new Set(batches.flatMap(({ images }) => images.map(({ key }) => key)));
  const started = plan.unmade.filter(({ key }) => pending.has(key));
  const unpaid = groupByKey(plan.unmade).filter(({ key }) => !pending.has(key));
  if (started.length > 0) {
    notices.add(`${started.length} images of an interrupted run would be fetched without paying again.`);
  }
  if (plan.incomplete.length > 0) {
    notices.add(
      `Files of ${plan.incomplete.length} results are missing or damaged. They would be downloaded again, or,`,
    );
    notices.add('if the service no longer has them, made and paid again.');
  }
  const order = { images: unpaid.length, analyze: options.analyze !== null, signal };
  return askForCost(createClient(service), order);
}
