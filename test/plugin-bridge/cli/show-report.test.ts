import { expect, it } from 'vitest';
import type { Quality } from '#contract';
import { describeImage, type Report, type Status, summarize } from '../../../plugin-bridge/cli/report.ts';
import { showReport } from '../../../plugin-bridge/cli/show-report.ts';

it('tells the visible difference in words, the worst and the mean below the table', async () => {
  const scores = [91.2, 76.4, null];
  const text = await showReport(reportOfFiles(scores.map((score) => ({ score }))), { colour: false });
  expect(text).toMatch(/0\.png .* 50\.0 % │ none /);
  expect(text).toMatch(/1\.png .* 50\.0 % │ only side by side /);
  expect(text).toMatch(/2\.png .* 50\.0 % │ +│/);
  expect(text).toContain('Visible difference, at most: only side by side (SSIMULACRA2: worst 76.4, mean 83.8).');
  expect(text).not.toContain('below the score');
});

it('tells which files stay below the score, why, and what the score would cost', async () => {
  const knee = { score: 72, reached: false, stopped: 'knee' } as const;
  const files = [
    { ...knee, estimatedBytes: 1300 },
    { ...knee, estimatedBytes: 4700 },
  ];
  const text = await showReport(reportOfFiles([...files, { score: 73, reached: false, stopped: 'format' }]), {
    colour: false,
  });
  expect(text).toContain(
    '2 files stay below the score of the preset: one more point would cost more than 12 % of the bytes. --exact reaches it, for about 4.0 kB more.\n' +
      '1 file stays below the score of the preset: the format cannot reach it.\n',
  );
});

it('names the formats that do not show all of an image', async () => {
  const report = reportOfFiles([{ score: 80 }]);
  const [image] = report.images;
  const [output] = image?.outputs ?? [];
  if (!image || !output) throw new Error('expected an output');
  image.outputs.push(
    { ...output, format: 'avif', lacks: ['animation'] },
    { ...output, format: 'jpeg', lacks: ['animation', 'transparency'] },
  );
  expect(await showReport(report, { colour: false })).toMatch(/0\.png .* AVIF and JPEG do not move, JPEG on white /);
});

/** Report of files of 1,000 bytes made of 2,000. */
function reportOfFiles(qualities: Pick<Quality, 'score' | 'reached' | 'stopped' | 'estimatedBytes'>[]): Report {
  const images = qualities.map((quality, index) =>
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
            quality: { preset: 'high', target: 76, used: 80, ...quality },
          },
        ],
        warnings: [],
        metadata: null,
      },
    }),
  );
  return {
    summary: summarize(images),
    images,
    credits: { charged: 0, refunded: 0, balance: null },
    cost: null,
    pruned: [],
    notices: [],
    dryRun: false,
    out: 'out',
  } as unknown as Report;
}

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
