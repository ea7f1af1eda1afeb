import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { VERSION } from '../version.ts';

/** State of the processing queues at a scrape. */
export interface QueueReading {
  /** Waiting work by queue: `jobs` are images of jobs, `encoding` and `probing` tasks for a worker. */
  queued: Record<'jobs' | 'encoding' | 'probing', number>;
  busyWorkers: Record<'encoding' | 'probing', number>;
  workers: number;
  /** Estimated memory of the images being processed, in bytes. */
  memoryBytes: number;
}

/** Disk, mail and description service at a scrape. */
export interface SurroundingsReading {
  /** Free bytes and size of the disk that receives uploads; null if it cannot be read. */
  disk: { freeBytes: number; totalBytes: number } | null;
  /** Mails that were not sent yet. */
  mailsWaiting: number;
  /** False from a failure of the service for descriptions until it answers. */
  describes: boolean;
}

/** Metrics of the service. Labels are bounded: routes are patterns, never paths. */
export interface Metrics {
  /** `route` is the pattern, e.g. `/v1/jobs/:jobId`; `unmatched` for a path that does not exist. */
  requestFinished(request: { route: string; method: string; status: number; seconds: number }): void;
  bytesReceived(bytes: number): void;
  bytesSent(bytes: number): void;
  jobFinished(job: { kind: string; outcome: string; seconds: number }): void;
  imageFinished(image: { operation: string; format: string; outcome: string }): void;
  encodeSeconds(format: string, seconds: number): void;
  /** Counts an error that nothing foresaw, by where it ended: a request or the work on an image. Its cause is in the log. */
  unexpectedError(where: 'request' | 'image'): void;
  creditsCharged(credits: number): void;
  creditsRefunded(credits: number): void;
  /** Counts a stream that was refused, since its account has as many open as its plan allows. */
  streamRefused(): void;
  /** Reads the number of open event streams at each scrape. */
  watchStreams(read: () => number): void;
  /** Reads the state of the queue at each scrape. */
  watchQueue(read: () => QueueReading): void;
  /** Reads what the service needs from outside at each scrape; a value that cannot be read is left out. */
  watchSurroundings(read: () => Promise<SurroundingsReading>): void;
  /** Sums what was counted since the start: requests, and images of jobs that failed. */
  totals(): Promise<{ all: number; refused: number; failed: number; images: number }>;
  /** Media type of {@link Metrics.text}. */
  contentType: string;
  /** Returns all metrics in the Prometheus text format. */
  text(): Promise<string>;
}

const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];
const ENCODE_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const JOB_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];

/** Creates the metrics with their own registry. */
export function createMetrics(): Metrics {
  const registry = createRegistry();
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name: `imagewright_${name}`, help, labelNames, registers: [registry] });
  const watch = (name: string, help: string, read: () => number) => {
    const collect = function (this: Gauge) {
      this.set(read());
    };
    return new Gauge({ name: `imagewright_${name}`, help, registers: [registry], collect });
  };
  const watchQueues = (name: string, help: string, read: () => Record<string, number>) => {
    const collect = function (this: Gauge<'queue'>) {
      for (const [queue, value] of Object.entries(read())) this.set({ queue }, value);
    };
    return new Gauge({ name: `imagewright_${name}`, help, labelNames: ['queue'], registers: [registry], collect });
  };
  const histogram = <Label extends string>(name: string, help: string, labelNames: Label[], buckets: number[]) =>
    new Histogram({ name: `imagewright_${name}`, help, labelNames, buckets, registers: [registry] });

  const requests = counter('http_requests_total', 'Requests that got a response.', ['route', 'method', 'status']);
  const requestSeconds = histogram(
    'http_request_duration_seconds',
    'Time to the end of the response, streams included.',
    ['route', 'method'],
    REQUEST_BUCKETS,
  );
  const bytesIn = counter('bytes_in_total', 'Bytes of request bodies.');
  const bytesOut = counter('bytes_out_total', 'Bytes of responses.');
  const jobs = counter('jobs_total', 'Finished jobs.', ['kind', 'outcome']);
  const jobSeconds = histogram('job_duration_seconds', 'From the start of a job to its end.', ['kind'], JOB_BUCKETS);
  const images = counter('images_total', 'Finished images.', ['operation', 'format', 'outcome']);
  const encodeSeconds = histogram('encode_seconds', 'Time to encode one file.', ['format'], ENCODE_BUCKETS);
  const unexpected = counter('unexpected_errors_total', 'Errors that nothing foresaw; the log has their causes.', [
    'where',
  ]);
  const refusedStreams = counter('streams_refused_total', 'Event streams above the number that a plan allows at once.');
  const credits = counter('credits_total', 'Credits charged and refunded.', ['kind']);

  return {
    requestFinished({ route, method, status, seconds }) {
      requests.inc({ route, method, status });
      requestSeconds.observe({ route, method }, seconds);
    },
    bytesReceived: (bytes) => bytesIn.inc(bytes),
    bytesSent: (bytes) => bytesOut.inc(bytes),
    jobFinished({ kind, outcome, seconds }) {
      jobs.inc({ kind, outcome });
      jobSeconds.observe({ kind }, seconds);
    },
    imageFinished: (image) => images.inc(image),
    encodeSeconds: (format, seconds) => encodeSeconds.observe({ format }, seconds),
    unexpectedError: (where) => unexpected.inc({ where }),
    creditsCharged: (amount) => credits.inc({ kind: 'charged' }, amount),
    creditsRefunded: (amount) => credits.inc({ kind: 'refunded' }, amount),
    streamRefused: () => refusedStreams.inc(),
    watchStreams(read) {
      watch('open_streams', 'Open event streams.', read);
    },
    watchQueue(read) {
      watchQueues('queue_length', 'Images of jobs, and tasks for a worker, that wait.', () => read().queued);
      watchQueues('busy_workers', 'Workers processing an image.', () => read().busyWorkers);
      watch('workers', 'Running workers.', () => read().workers);
      watch('queue_memory_bytes', 'Estimated memory of the images being processed.', () => read().memoryBytes);
    },
    watchSurroundings(read) {
      watchSurroundings(registry, read);
    },
    totals: () => sumUp(requests, images),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

async function sumUp(requests: Counter<'status'>, images: Counter<'outcome'>) {
  const [answers, made] = [(await requests.get()).values, (await images.get()).values];
  const sum = (from: number, below: number) =>
    answers.reduce((total, { value, labels: { status } }) => {
      const code = Number(status);
      return code >= from && code < below ? total + value : total;
    }, 0);
  const failed = made.filter(({ labels: { outcome } }) => outcome === 'failed');
  return {
    all: sum(0, 600),
    refused: sum(400, 500),
    failed: sum(500, 600),
    images: failed.reduce((total, { value }) => total + value, 0),
  };
}

/** Creates a registry with the metrics of Node and the version. */
function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const info = { name: 'imagewright_build_info', help: 'Version of the service; always 1', labelNames: ['version'] };
  new Gauge({ ...info, registers: [registry] }).set({ version: VERSION }, 1);
  return registry;
}

/** Registers the gauges of the surroundings; those of one scrape share a reading. */
function watchSurroundings(registry: Registry, read: () => Promise<SurroundingsReading>): void {
  let reading: Promise<SurroundingsReading | null> | undefined;
  const once = () => {
    reading ??= read()
      .catch(() => null)
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  const gauge = (name: string, help: string, pick: (seen: SurroundingsReading) => number | undefined) => {
    const collect = async function (this: Gauge) {
      const seen = await once();
      const value = seen ? pick(seen) : undefined;
      if (value !== undefined) this.set(value);
    };
    return new Gauge({ name: `imagewright_${name}`, help, registers: [registry], collect });
  };
  gauge('disk_free_bytes', 'Free bytes on the disk that receives uploads.', ({ disk }) => disk?.freeBytes);
  gauge('disk_size_bytes', 'Size of the disk that receives uploads.', ({ disk }) => disk?.totalBytes);
  gauge('mails_waiting', 'Mails that were not sent yet.', ({ mailsWaiting }) => mailsWaiting);
  gauge(
    'descriptions_up',
    '0 from a failure of the set-up description service until it answers, else 1.',
    ({ describes }) => (describes ? 1 : 0),
  );
}
