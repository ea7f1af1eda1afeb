import { setTimeout as sleep } from 'node:timers/promises';
import { auditOf, type ServiceProcess, startServiceProcess } from '../../crash/service-process.ts';
import { createPatientClient, newTally, type Tally } from './client.ts';
import { CREDITS, startServers } from './servers.ts';

/** Length and faults of a drill; times in milliseconds. */
export interface DrillPlan {
  lastsMs: number;
  clients: number;
  /** One server after the other is killed at this interval, and started again. */
  killServerEveryMs: number;
  /** The primary steps down or is killed, in turn. */
  changePrimaryEveryMs: number;
  /** The file store is away at these times since the start. */
  storeAwayAtMs: number[];
  storeAwayMs: number;
  report: (line: string) => void;
}

/** Outcome of a drill. */
export interface DrillOutcome extends Tally {
  serversKilled: number;
  primariesChanged: number;
  storeOutages: number;
  /** Credits that were spent. */
  spent: number;
  audit: Awaited<ReturnType<typeof auditOf>>;
}

const ELECTION_MS = 4000;
/** Time in which a killed server is away. */
const RESTART_MS = 3000;

/** Runs clients against three servers without a shared folder, while servers, primaries and the file store go away. */
export async function runClusterDrill(plan: DrillPlan): Promise<DrillOutcome> {
  const cluster = await startServers();
  const { servers, files, set, api, env } = cluster;
  const ended = new AbortController();
  const tally = newTally();
  const counts = { serversKilled: 0, primariesChanged: 0, storeOutages: 0 };
  try {
    const faults = [
      every(plan.killServerEveryMs, ended.signal, async (times) => {
        counts.serversKilled += 1;
        const which = times % servers.length;
        await replaceServer(servers, which, () => startServiceProcess(env(which)), plan.report);
      }),
      every(plan.changePrimaryEveryMs, ended.signal, async (times) => {
        if (!set) return;
        counts.primariesChanged += 1;
        await (times % 2 === 0 ? set.stepDown(ELECTION_MS) : set.killPrimary(ELECTION_MS));
      }),
      ...plan.storeAwayAtMs.map((at) =>
        once(at, ended.signal, async () => {
          counts.storeOutages += 1;
          files.inject({ kind: 'lose-request' }, { times: Number.POSITIVE_INFINITY });
          await sleep(plan.storeAwayMs);
          files.reset();
        }),
      ),
    ];
    let reported = 0;
    const reports = every(10_000, ended.signal, async () => {
      for (const fault of tally.faults.slice(reported, reported + 10)) plan.report(fault);
      reported = tally.faults.length;
      plan.report(describe(tally, counts));
    });
    await createPatientClient(api, tally).workFor(plan);
    ended.abort();
    await Promise.all([...faults, reports]);
    files.reset();
    // Charges of jobs whose server was killed are settled by another one.
    await sleep(1000);
    const { balance } = (await (await api.request('/v1/credits/balance')).json()) as { balance: number };
    const audit = await auditOf(env(0));
    return { ...tally, ...counts, spent: CREDITS - balance, audit };
  } finally {
    ended.abort();
    await cluster.close();
  }
}

function describe(tally: Tally, counts: object): string {
  return JSON.stringify({ ...tally, ...counts, faults: tally.faults.length });
}

/** Kills a server and starts it again on the same directory. */
async function replaceServer(
  servers: (ServiceProcess | null)[],
  which: number,
  start: () => Promise<ServiceProcess>,
  report: (line: string) => void,
): Promise<void> {
  const old = servers[which];
  // The balancer learns of it by its own failures first.
  await old?.kill();
  servers[which] = null;
  await sleep(RESTART_MS);
  for (;;) {
    const next = await start().catch((error: Error) => report(`server ${which}: ${error.message.slice(0, 300)}`));
    if (next) {
      servers[which] = next;
      return;
    }
    // The database or the file store is away.
    await sleep(500);
  }
}

/** Works at an interval that does not grow by the time of the work. */
async function every(ms: number, signal: AbortSignal, work: (times: number) => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  for (let times = 0; !signal.aborted; times += 1) {
    const wait = startedAt + (times + 1) * ms - performance.now();
    await sleep(Math.max(0, wait), undefined, { signal }).catch(() => {});
    if (!signal.aborted) await work(times);
  }
}

async function once(ms: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
  if (!signal.aborted) await work();
}
