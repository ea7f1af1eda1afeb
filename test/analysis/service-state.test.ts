import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeImage, useVision } from './analysis-harness.ts';
import { useAnalyzingService } from './analyzing-service.ts';

const SCRAPE_MS = 15_000;

describe('the alert about descriptions', () => {
  const vision = useVision();

  it('fires while a service fails for 15 minutes, whatever is asked meanwhile, and ends with an answer', async () => {
    const rule = /max_over_time\(imagewright_descriptions_up\[(\d+)m\]\) == 0/.exec(
      readFileSync('examples/grafana/alerts.yml', 'utf8'),
    );
    const window = (Number(rule?.[1]) * 60_000) / SCRAPE_MS;
    let now = 0;
    vision.server.mode = 'error';
    const analysis = vision.harness.analysis(vision.settings({ AI_MAX_RETRIES: 0 }), { monotonicNow: () => now });
    const ask = async () => describeImage(analysis, await vision.harness.place({ name: 'a.jpg', bytes: vision.bytes }));
    for (let image = 0; image < 5; image += 1) await ask();
    const series: number[] = [];
    for (let minute = 0; minute < 16; minute += 1) {
      await ask();
      for (let scrape = 0; scrape < 60_000 / SCRAPE_MS; scrape += 1) {
        now += SCRAPE_MS;
        series.push(analysis.state().reason === null ? 1 : 0);
      }
    }
    expect(window).toBe(60);
    expect(Math.max(...series.slice(-window))).toBe(0);
    vision.server.mode = 'good';
    await ask();
    expect(analysis.state()).toMatchObject({ status: 'ready', reason: null });
  });
});

describe('the operator', () => {
  const service = useAnalyzingService();

  it('sees in metric and health why nothing is described, until an image is', async () => {
    const up = async () =>
      /^imagewright_descriptions_up (\d)/m.exec(await (await service.api.request('/metrics')).text())?.[1];
    const health = () => service.api.readJson<{ analysis: object }>('/healthz');
    service.vision.mode = 'unauthorized';
    await service.analyze(await service.uploadImages(1));
    expect(await up()).toBe('0');
    expect((await health()).analysis).toMatchObject({ status: 'open', reason: 'key_refused' });
    service.vision.mode = 'good';
    await service.analyze(await service.uploadImages(1));
    expect(await up()).toBe('1');
    expect((await health()).analysis).toMatchObject({ status: 'ready', reason: null });
  });
});
