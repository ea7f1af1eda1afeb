import { expect, it, onTestFinished, vi } from 'vitest';
import { createSessionDisposal } from '../../server/sessions/index.ts';
import { collect, newHold, PATIENT, useAnalyzingService } from '../analysis/analyzing-service.ts';

const service = useAnalyzingService({ LEASE_SECONDS: '3' });

it('a session whose job works for longer than SESSION_TTL_HOURS is there while it does, and afterwards', async () => {
  const uploaded = await service.uploadImages(1);
  const status = async () => (await service.api.request(`/v1/sessions/${uploaded.sessionId}`)).status;
  const { held, end } = newHold();
  service.vision.held = held;
  const asked = service.vision.requests.length;
  const response = await service.open(uploaded);
  await vi.waitFor(() => expect(service.vision.requests.length).toBe(asked + 1), PATIENT);
  const database = await service.test.openDatabase();
  onTestFinished(() => database.close());
  await database.sessions.shorten(uploaded.sessionId, new Date(Date.now() - 1));
  expect(await service.test.service.disposal.sweep()).toBe(0);
  await vi.waitFor(async () => expect(await status()).toBe(200), PATIENT);
  end();
  expect((await collect(response)).at(-1)?.event).toBe('complete');
  expect(await service.test.service.disposal.sweep()).toBe(0);
  expect(await status()).toBe(200);
});

it('an expired session that is used after the sweep has listed it stays', async () => {
  const { sessionId } = await service.uploadImages(1);
  const database = await service.test.openDatabase();
  onTestFinished(() => database.close());
  const later = () => new Date(Date.now() + 48 * 3_600_000);
  const sessions: typeof database.sessions = {
    ...database.sessions,
    async findDisposable(...input) {
      const listed = await database.sessions.findDisposable(...input);
      await database.sessions.touch(sessionId, new Date(later().getTime() + 60_000));
      return listed.filter(({ _id }) => _id === sessionId);
    },
  };
  const warn = vi.fn();
  const { sweep } = createSessionDisposal({
    repositories: { ...database, sessions },
    logger: { info: () => {}, warn } as never,
    stopJobs: async () => false,
    now: later,
  } as never);
  expect([await sweep(), warn.mock.calls]).toEqual([0, []]);
  expect((await service.api.request(`/v1/sessions/${sessionId}`)).status).toBe(200);
});
