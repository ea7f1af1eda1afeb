import { expect, it } from 'vitest';
import { type RunSettings, runThroughOutages } from '../../drill/wordpress-run.ts';

/** Images of the run; `npm run drill:wordpress-run` has 5,000 and waits as long as a site would. */
const IMAGES = Number(process.env.IMAGEWRIGHT_RUN_IMAGES ?? 60);
const IS_DRILL = IMAGES >= 1000;

it(`a run of ${IMAGES} images ends although service and PHP were killed twice, and charges each once`, {
  timeout: 3 * 3_600_000,
}, async () => {
  const site: RunSettings['site'] = { server: 'nginx', database: 'mariadb', version: '7.1', memoryLimit: '128M' };
  const waits = IS_DRILL ? { awaySeconds: 60, cronSeconds: 60 } : { awaySeconds: 3, cronSeconds: 1 };
  const outcome = await runThroughOutages({ images: IMAGES, ...waits, skipsWaiting: !IS_DRILL, site });
  console.log(outcome);
  expect(outcome).toMatchObject({ done: IMAGES, noGain: 0, failed: [], charged: IMAGES, exports: IMAGES });
  expect([outcome.killedAt.service.length, outcome.killedAt.php.length]).toEqual([2, 2]);
  expect(outcome.audit).toMatchObject({ ok: true, broken: [] });
  expect(outcome.log).toBe('');
});
