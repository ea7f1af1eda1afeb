import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { auditOf, startServiceProcess } from '../crash/service-process.ts';
import { createPatientClient, newTally } from '../drill/cluster/client.ts';
import { startServers } from '../drill/cluster/servers.ts';

const DRAIN_SECONDS = 2;
const LASTS_MS = 40_000;

it('servers are replaced one after the other without a failed request', async () => {
  const cluster = await startServers({ DRAIN_SECONDS: String(DRAIN_SECONDS) });
  try {
    const { servers, env, api } = cluster;
    const tally = newTally();
    const worked = createPatientClient(api, tally).workFor({ clients: 5, lastsMs: LASTS_MS });
    let replaced = 0;
    for (const [which, old] of servers.entries()) {
      await sleep(2000);
      const ended = old?.terminate();
      // As a load balancer does that asks for readiness.
      await expect.poll(async () => (await fetch(`${old?.url}/readyz`)).status).toBe(503);
      servers[which] = null;
      expect(await ended).toBe(0);
      servers[which] = await startServiceProcess(env(which));
      replaced += 1;
    }
    await worked;
    expect(tally.faults).toEqual([]);
    expect([replaced, tally.repeated]).toEqual([3, 0]);
    expect(tally.exports).toBeGreaterThan(10);
    expect(await auditOf(env(0))).toEqual({ ok: true, broken: [], pending: 0 });
    console.log(`${tally.exports} exports, ${tally.resumed} streams went on at another server`);
  } finally {
    await cluster.close();
  }
});
