import { describe, expect, it, onTestFinished } from 'vitest';
import type { ShareList } from '#contract';
import { COUNTERS, type CountingService, startWithCounters } from '../support/both-counters.ts';
import { plainImage } from '../support/small-images.ts';

/** Requests at once, in turn at all servers. @returns the answers by status */
async function askAtOnce({ urls }: CountingService, apiKey: string, { path, json }: { path: string; json: unknown }) {
  const requests = Array.from({ length: 60 }, (_, index) =>
    fetch(`${urls[index % urls.length]}${path}`, {
      method: 'POST',
      headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify(json),
    }),
  );
  const answers = await Promise.all(requests);
  const statuses = answers.map(({ status }) => status).sort();
  return {
    made: statuses.filter((status) => status === 201).length,
    others: [...new Set(statuses)].filter((s) => s !== 201),
  };
}

describe.each(COUNTERS)('limits that are counted %s hold for requests at once', (kind) => {
  it('of links to a session and of session tokens', async () => {
    const service = await startWithCounters(kind, { SESSION_TOKENS_PER_ACCOUNT: '7' });
    onTestFinished(() => service.close());
    const { api, apiKey } = await service.createAccount();
    const { sessionId } = await api.upload([await plainImage('a.png')]);
    const path = `/v1/sessions/${sessionId}/shares`;
    const links = await askAtOnce(service, apiKey, { path, json: {} });
    expect(links).toEqual({ made: 20, others: [409] });
    expect((await api.readJson<ShareList>(path)).shares).toHaveLength(20);
    const order = { path: '/v1/tokens', json: { origin: 'https://example.com', sessionId } };
    expect(await askAtOnce(service, apiKey, order)).toEqual({ made: 7, others: [429] });
  });
});
