// Owns "pay once, resume": reading a job to its end, exporting without paying twice, batches with a journal. Works with
// ports and knows nothing of pages, CMSs and files on disk.
export { type ExportPorts, exportOnce, type PaidWork } from './export-once.ts';
export { type CancelReason, type JobEnd, readJob } from './read-job.ts';
export {
  type BatchPorts,
  type BatchRun,
  createBatchRun,
  type Effect,
  finishBatch,
  type Journal,
  makeBatch,
  type Uploaded,
} from './run-batches.ts';
