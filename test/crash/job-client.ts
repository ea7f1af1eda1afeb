import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiClient, type ClientEvent, readEvents } from '../support/api-client.ts';
import { PATIENCE_MS } from '../support/patience.ts';

/** Events of a job's stream that a client has received over any number of connections. */
export interface Follower {
  jobId: string | null;
  events: ClientEvent[];
  /** True once the last connection ended without an error. */
  clean: boolean;
}

/** Reads a stream into the follower until it ends or breaks. */
export async function collect(response: Response, follower: Follower, onEvent?: (event: ClientEvent) => void) {
  follower.jobId ??= response.headers.get('X-Job-Id');
  follower.clean = false;
  try {
    for await (const event of readEvents(response)) {
      follower.events.push(event);
      onEvent?.(event);
    }
    follower.clean = true;
  } catch {
    // The connection broke: what came stays.
  }
}

/**
 * Goes on reading where the follower stopped, over as many connections as it takes, as an EventSource does.
 * @throws Error with the state of the job if its last event does not come in time
 */
export async function resume(api: ApiClient, follower: Follower): Promise<void> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  while (!hasEnded(follower)) {
    if (signal.aborted) throw new Error(await describeUnended(api, follower));
    const last = follower.events.at(-1)?.id;
    const headers: Record<string, string> = last ? { 'Last-Event-ID': last } : {};
    const response = await api.request(`/v1/jobs/${follower.jobId}/events`, { headers, signal }).catch((error) => {
      if (!signal.aborted) throw error;
    });
    if (!response) continue;
    if (response.status === 503) {
      await sleep(500);
      continue;
    }
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    await collect(response, follower);
  }
}

async function describeUnended(api: ApiClient, { jobId, events }: Follower): Promise<string> {
  const job = await (await api.request(`/v1/jobs/${jobId}`)).text();
  return `no last event of ${jobId} within ${PATIENCE_MS} ms; ${events.length} events, the job is ${job}`;
}

/** The errors of the images that failed, by the last event. */
export function failuresOf({ events }: Follower): string[] {
  const last = events.at(-1);
  if (!last || last.event === 'progress') return ['no last event'];
  return (last.data.results ?? []).flatMap(({ error }) => (error ? [`${error.code}: ${error.message}`] : []));
}

/** Returns true if a last event came. */
export function hasEnded({ events }: Follower): boolean {
  return events.some(({ event }) => event !== 'progress');
}

/** Lists the faults in the events that a client received of one job, over all its connections. */
export function faultsOf({ jobId, events }: Follower): string[] {
  const faults: string[] = [];
  let current = 0;
  let number = -1;
  for (const { id, event, data } of events) {
    const [job, n] = id.split(':');
    if (job !== jobId) faults.push(`event ${id} of another job`);
    if (Number(n) <= number) faults.push(`event ${id} after number ${number}`);
    number = Number(n);
    if (event !== 'progress') continue;
    if (data.current < current) faults.push(`event ${id}: current fell from ${current} to ${data.current}`);
    current = data.current;
  }
  const last = events.filter(({ event }) => event !== 'progress').length;
  if (last !== 1) faults.push(`${last} last events`);
  else if (events.at(-1)?.event === 'progress') faults.push('progress after the last event');
  return faults;
}
