import { expect, it } from 'vitest';
import { describeImage, type Report, type Status, summarize } from '../../../plugin-bridge/cli/report.ts';
import { showReport } from '../../../plugin-bridge/cli/show-report.ts';

it('tells the visible difference in words, the worst and the mean below the table', async () => {
  const scores = [91.2, 76.4, null];
  const images = scores.map((score, index) =>
    describeImage({
      source: { below: `${index}.png`, target: `${index}.webp`, nameOf: () => `${index}.webp` } as never,
      status: 'made',
      result: {
        endpoint: '',
        sessionId: '',
        exportedAt: '',
        originalBytes: 2000,
        files: [
          {
            variant: 'full',
            filename: `${index}.webp`,
            sha256: '',
            size: 1000,
            width: 1,
            height: 1,
            quality: { preset: 'high', target: 76, score, used: 80 },
          },
        ],
        warnings: [],
        metadata: null,
      },
    }),
  );
  const report = {
    summary: summarize(images),
    images,
    credits: { charged: 0, refunded: 0, balance: null },
    cost: null,
    pruned: [],
    notices: [],
    dryRun: false,
    out: 'out',
  } as unknown as Report;
  const text = await showReport(report, { colour: false });
  expect(text).toMatch(/0\.png .* 50\.0 % │ none /);
  expect(text).toMatch(/1\.png .* 50\.0 % │ only side by side /);
  expect(text).toMatch(/2\.png .* 50\.0 % │ +│/);
  expect(text).toContain('Visible difference, at most: only side by side (SSIMULACRA2: worst 76.4, mean 83.8).');
});

function reportOf(statuses: Status[], more: Partial<Report> = {}): Report {
  const images = statuses.map((status, index) =>
    describeImage({
      source: { below: `${index}.png`, target: `${index}.webp`, nameOf: () => `${index}.webp` } as never,
      status,
      ...(status === 'failed' && { error: { code: 'invalid_image', message: 'Expected an image' } }),
    }),
  );
  const credits = { charged: 0, refunded: 0, balance: null };
  const empty = { cost: null, pruned: [], notices: [], dryRun: false };
  return { summary: summarize(images), images, credits, ...empty, ...more } as Report;
}

it('prints nothing of a run that ended before anything was done', async () => {
  expect(await showReport(reportOf(['unmade', 'unmade']), { colour: false })).toBe('');
});

it('prints no table where nothing was made, but each reason', async () => {
  expect(await showReport(reportOf(['failed', 'failed', 'unmade']), { colour: false })).toBe(
    'failed 0.png and 1 more: Expected an image\n3 images: 2 failed, 1 not made.\n',
  );
});
