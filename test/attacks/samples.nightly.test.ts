import { afterEach, expect, it } from 'vitest';
import { PATIENCE_MS } from '../support/patience.ts';
import {
  type AttackedService,
  attackBySamples,
  fresh,
  photographOf,
  secondsOfExport,
  startAttackedService,
} from './attacked-service.ts';

let service: AttackedService;
afterEach(() => service.close());

const middle = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function threeExports(photograph: Buffer): Promise<number> {
  const seconds: number[] = [];
  for (let round = 0; round < 3; round += 1) seconds.push(await secondsOfExport(service.victim, photograph, 'webp'));
  return middle(seconds);
}

// The whole table of formats and attacks is measured by `npm run bench:fairness`.
it.each([1, 10])(
  '24 free samples of 24 megapixels from %i accounts leave a paid export its time',
  async (attackers) => {
    service = await startAttackedService({ attackers });
    const photograph = await photographOf(12);
    await threeExports(photograph);
    const alone = await threeExports(photograph);
    const attack = await attackBySamples(service.attackers, await photographOf(24), { requests: 24, images: 1 });
    const attacked = await threeExports(photograph);
    // All samples are under way: none was refused, and not all have ended.
    expect(new Set(attack.statuses)).toEqual(new Set([200]));
    await attack.stop();
    console.log(`under attack ${attacked.toFixed(2)} s, alone ${alone.toFixed(2)} s`);
    expect(attacked / alone).toBeLessThanOrEqual(3);
  },
);

it('400 free samples of 5 images leave room for a paid export', async () => {
  service = await startAttackedService({ attackers: 1 });
  const photograph = await photographOf(12);
  const attack = await attackBySamples(service.attackers, await photographOf(2), { requests: 400, images: 5 });
  await threeExports(photograph);
  await attack.stop();
  // 20 of 400 fit into the share of one account.
  expect(attack.statuses.filter((status) => status === 429).length).toBeGreaterThan(300);
});

it('the limits of the free plan alone refuse what is above 50 images a day', async () => {
  service = await startAttackedService({ attackers: 1, hasLimits: true });
  const attack = await attackBySamples(service.attackers, await photographOf(1), { requests: 40, images: 5 });
  await expect.poll(() => attack.refusals.length).toBe(30);
  expect(new Set(attack.refusals)).toEqual(new Set(['daily_limit_reached']));
  expect(attack.statuses.filter((status) => status === 429)).toHaveLength(30);
  await secondsOfExport(service.victim, await photographOf(1), 'webp');
  await attack.stop();
});

it('a sample whose client has gone is joined within 30 s, and stops after that', async () => {
  service = await startAttackedService({ attackers: 1, settings: { WORKERS: '1' } });
  const api = service.attackers[0] as (typeof service.attackers)[number];
  const photograph = await photographOf(24);
  // Paid work for longer than the test takes: the sample gives way to it while nobody listens.
  const paid = await service.victim.upload(Array.from({ length: 12 }, () => fresh(photograph)));
  const long = { format: 'avif', preset: 'maximum', responsive: true };
  await service.victim.request(`/v1/sessions/${paid.sessionId}/export`, {
    json: service.victim.exportBody(paid, long),
  });
  const uploaded = await api.upload(Array.from({ length: 5 }, () => fresh(photograph)));
  const leave = new AbortController();
  const stream = await api.request(`/v1/sessions/${uploaded.sessionId}/sample`, {
    json: api.exportBody(uploaded, long),
    signal: leave.signal,
  });
  const path = `/v1/jobs/${stream.headers.get('X-Job-Id')}`;
  const stateOf = async () => (await api.readJson<{ status: string }>(path)).status;
  leave.abort();
  await new Promise((resolve) => setTimeout(resolve, 20_000));
  expect(await stateOf()).toBe('processing');
  const again = new AbortController();
  await api.request(`${path}/events`, { signal: again.signal });
  await new Promise((resolve) => setTimeout(resolve, 15_000));
  // 35 s after the first client has gone.
  expect(await stateOf()).toBe('processing');
  again.abort();
  await expect.poll(stateOf, { timeout: PATIENCE_MS, interval: 500 }).toBe('cancelled');
});
