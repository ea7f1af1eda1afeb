import { expect, it } from 'vitest';
import { runThroughOutages } from './wordpress-run.ts';

it('a bulk run without a page ends although the service was killed twice, and charges each image once', {
  timeout: 600_000,
}, async () => {
  const images = 25;
  const outcome = await runThroughOutages({ images, awaySeconds: 3, cronSeconds: 1, skipsWaiting: true });
  expect(outcome).toMatchObject({ done: images, noGain: 0, failed: [], charged: images, exports: images });
  expect(outcome.killedAt.service).toHaveLength(2);
  expect(outcome.audit).toMatchObject({ ok: true, broken: [] });
  expect(outcome.log).toBe('');
});
