import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp, { type OverlayOptions } from 'sharp';
import type { SearchTools } from '../../../server/processing/worker/quality/search-tools.ts';
import { assembleCorpus, type Source } from './corpus.ts';
import type { FitRow } from './fit.ts';
import type { Judged } from './report.ts';
import { openImage, render } from './runs.ts';

const FOLDER = fileURLToPath(new URL('../../../docs/images/', import.meta.url));
const SHOWN = ['screenshot-dashboard', 'photo-nuthatch', 'photo-lamp'];
const COLOURS = ['#b3261e', '#1b6e3c', '#1f4e9c'];
const CROP = { width: 300, height: 220 };

/** Draws the pictures of `docs/quality.md`. */
export async function drawPictures(
  rows: FitRow[],
  judged: Judged[],
  sources: Source[],
  tools: SearchTools,
): Promise<void> {
  await writeFile(`${FOLDER}quality-curves.svg`, curves(rows));
  const high = judged.find(({ preset, format }) => preset === 'high' && format === 'webp');
  if (high) await writeFile(`${FOLDER}quality-bytes.svg`, savedBytes(high));
  await crops(sources, tools);
}

/** Score by number of three images. */
function curves(rows: FitRow[]): string {
  const [left, top, width, height] = [50, 20, 560, 300];
  const x = (number: number) => left + (number / 100) * width;
  const y = (score: number) => top + height - ((score - 20) / 80) * height;
  const lines = SHOWN.map((source, index) => {
    const row = rows.find((one) => one.source === source && one.codec === 'jpeg420');
    const points = (row?.scores ?? []).map(([number, score]) => `${x(number).toFixed(0)},${y(score).toFixed(0)}`);
    const label = `<text x="${x(56)}" y="${y(32 - index * 5)}" fill="${COLOURS[index]}">${source}</text>`;
    return `<polyline points="${points.join(' ')}" fill="none" stroke="${COLOURS[index]}" stroke-width="2"/>${label}`;
  });
  const ticks = [20, 40, 60, 80, 100].map(
    (value) =>
      `<text x="8" y="${y(value) + 4}">${value}</text><text x="${x(value) - 8}" y="${top + height + 18}">${value}</text>`,
  );
  const promise = `<path d="M${left} ${y(76)}H${left + width}" stroke="#777" stroke-dasharray="4"/><text x="${left + 4}" y="${y(76) - 5}">high: 76</text>`;
  return svg(
    640,
    350,
    'Score by number of three images',
    `<path d="M${left} ${top}V${top + height}H${left + width}" stroke="#333" fill="none"/>${ticks.join('')}${promise}${lines.join('')}`,
  );
}

/** Bytes of each image relative to the best fixed number. */
function savedBytes({ images, outcomes, fixedBytes }: Judged): string {
  const ratios = images
    .map((image, index) => ({ image, ratio: (outcomes[index]?.bytes ?? 0) / (fixedBytes[index] ?? 1) }))
    .sort((one, other) => one.ratio - other.ratio);
  const bars = ratios.map(({ image, ratio }, index) => {
    const y = 24 + index * 14;
    const length = Math.min(1.5, ratio) * 300;
    return `<text x="4" y="${y + 9}" font-size="10">${image}</text><rect x="180" y="${y}" width="${length.toFixed(0)}" height="10" fill="${ratio <= 1 ? COLOURS[1] : COLOURS[0]}"/><text x="${(185 + length).toFixed(0)}" y="${y + 9}" font-size="10">${ratio.toFixed(2)}</text>`;
  });
  const bottom = 30 + ratios.length * 14;
  return svg(
    680,
    bottom,
    'Bytes relative to the best fixed number',
    `<path d="M480 10V${bottom}" stroke="#777" stroke-dasharray="4"/>${bars.join('')}`,
  );
}

function svg(width: number, height: number, title: string, content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12"><title>${title}</title><rect width="100%" height="100%" fill="#fff"/>${content}</svg>\n`;
}

/** Parts of three images: the original, with the table's number, with the search; as JPEG at `high`. */
async function crops(sources: Source[], tools: SearchTools): Promise<void> {
  const parts: OverlayOptions[] = [];
  for (const [row, name] of SHOWN.entries()) {
    const source = sources.find((one) => one.name === name);
    const image = source && assembleCorpus([source], 20).find((one) => one.name.endsWith('-crop500'));
    if (!image) continue;
    const open = await openImage(image);
    const files = [open.file];
    for (const search of [false, true]) {
      const [made] = await render(open, { format: 'jpeg', preset: 'high', search }, tools);
      const copy = `${open.file}-${search}`;
      await writeFile(copy, await readFile(made?.file ?? ''));
      files.push(copy);
    }
    for (const [column, file] of files.entries()) {
      const input = await sharp(file)
        .extract({ left: 100, top: 100, ...CROP })
        .png()
        .toBuffer();
      parts.push({ input, left: column * (CROP.width + 6), top: row * (CROP.height + 6) });
    }
    await open.close();
  }
  const size = { width: 3 * CROP.width + 12, height: SHOWN.length * (CROP.height + 6) - 6 };
  const sheet = sharp({ create: { ...size, channels: 3, background: '#ffffff' } }).composite(parts);
  await sheet.webp({ quality: 95 }).toFile(`${FOLDER}quality-crops.webp`);
}
