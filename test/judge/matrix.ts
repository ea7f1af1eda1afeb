import { deflateSync } from 'node:zlib';
import { type AvifPicture, encodeAv1, type Nclx, writeAvif } from './avif-file.ts';
import { ADOBE_RGB, BT2020, DISPLAY_P3, greyProfile, LINEAR_SRGB, matrixProfile, SRGB } from './icc-file.ts';
import { HEIGHT, indicesOf, type JudgedFile, PATCHES, samplesOf, WIDTH } from './patches.ts';
import { cHRM, cICP, eXIf, gAMA, iCCP, type PngChunk, SAMPLES, sRGB, writePng } from './png-file.ts';

const P3_XY = [0.3127, 0.329, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06];

const RGB_CHUNKS: Record<string, PngChunk[]> = {
  none: [],
  srgb: [sRGB(), gAMA(1)],
  gamma: [gAMA(1 / 1.8)],
  'linear p3': [gAMA(1), cHRM(...P3_XY)],
  'cicp p3': [cICP(12, 13), gAMA(1)],
  'cicp 2020': [cICP(9, 14)],
  'icc srgb': [iCCP(matrixProfile(SRGB))],
  'icc p3': [iCCP(matrixProfile(DISPLAY_P3))],
  'icc adobe': [iCCP(matrixProfile(ADOBE_RGB))],
  'icc linear': [iCCP(matrixProfile(LINEAR_SRGB))],
  'icc 2020': [iCCP(matrixProfile(BT2020))],
  'cicp before icc': [cICP(12, 13), iCCP(matrixProfile(BT2020))],
  pq: [cICP(9, 16)],
  hlg: [cICP(9, 18)],
};
const GREY_CHUNKS: Record<string, PngChunk[]> = {
  none: [],
  gamma: [gAMA(1)],
  'icc 1.0': [iCCP(greyProfile(1))],
  'icc 2.2': [iCCP(greyProfile(2.2))],
};

/** PNGs of all depths, types and colour chunks. */
export function pngMatrix(): JudgedFile[] {
  const files: JudgedFile[] = [];
  for (const type of ['rgb', 'rgba', 'grey', 'grey-alpha'] as const) {
    for (const depth of [8, 16] as const) {
      const chunks = SAMPLES[type] < 3 ? GREY_CHUNKS : RGB_CHUNKS;
      for (const [name, before] of Object.entries(chunks)) {
        const picture = { width: WIDTH, height: HEIGHT, type, depth, samples: samplesOf(type, depth) };
        const warning = name === 'pq' || name === 'hlg' ? { warning: 'hdr_dropped' } : {};
        files.push({
          name: `png ${type} ${depth} ${name}`,
          format: 'png',
          bytes: writePng({ ...picture, chunks: before }),
          ...warning,
        });
      }
    }
  }
  for (const orientation of [3, 6]) {
    for (const depth of [8, 16] as const) {
      const chunks = [...(RGB_CHUNKS['icc adobe'] ?? []), eXIf(orientation)];
      const bytes = writePng({
        width: WIDTH,
        height: HEIGHT,
        type: 'rgb',
        depth,
        samples: samplesOf('rgb', depth),
        chunks,
      });
      files.push({ name: `png turned ${orientation} ${depth}`, format: 'png', bytes });
    }
  }
  for (const depth of [1, 2, 4] as const) {
    const bytes = writePng({
      width: WIDTH,
      height: HEIGHT,
      type: 'grey',
      depth,
      samples: samplesOf('grey', depth),
      chunks: [gAMA(1)],
    });
    files.push({ name: `png grey ${depth} gamma`, format: 'png', bytes });
  }
  return [...files, ...palettes(), transparentColour(), ...animated()];
}

function palettes(): JudgedFile[] {
  const colours: PngChunk = { type: 'PLTE', data: Buffer.from(PATCHES.flatMap((patch) => patch.slice(0, 3))) };
  const alpha: PngChunk = { type: 'tRNS', data: Buffer.from(PATCHES.map((patch) => patch[3] ?? 255)) };
  const picture = { width: WIDTH, height: HEIGHT, type: 'palette', depth: 8, samples: indicesOf() } as const;
  return ['none', 'gamma', 'linear p3', 'icc p3', 'cicp p3'].map((name) => ({
    name: `png palette ${name}`,
    format: 'png' as const,
    bytes: writePng({ ...picture, chunks: [...(RGB_CHUNKS[name] ?? []), colours, alpha] }),
  }));
}

/** Animated PNGs of two frames: the first is the picture of the file, or one that only programs without animation show. */
function animated(): JudgedFile[] {
  const picture = { width: WIDTH, height: HEIGHT, type: 'rgb', depth: 8, samples: samplesOf('rgb', 8) } as const;
  const other = Array.from({ length: HEIGHT }, () => [0, ...Array<number>(WIDTH * 3).fill(90)]).flat();
  const frames = (count: number): PngChunk => ({ type: 'acTL', data: u32(count, 0) });
  const frame = (number: number): PngChunk => ({
    type: 'fcTL',
    data: Buffer.concat([u32(number, WIDTH, HEIGHT, 0, 0), Buffer.from([0, 1, 0, 10, 0, 0])]),
  });
  const pixels = (number: number): PngChunk => ({
    type: 'fdAT',
    data: Buffer.concat([u32(number), deflateSync(Buffer.from(other))]),
  });
  const seen = writePng({ ...picture, chunks: [frames(2), frame(0)], tail: [frame(1), pixels(2)] });
  const hidden = writePng({ ...picture, chunks: [frames(1)], tail: [frame(0), pixels(1)] });
  // As WebP both are whole, so there is no warning that all formats have.
  return [
    { name: 'png animated', format: 'png', bytes: seen },
    { name: 'png animated, other picture', format: 'png', bytes: hidden },
  ];
}

function u32(...values: number[]): Buffer {
  const data = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) data.writeUInt32BE(value, index * 4);
  return data;
}

function transparentColour(): JudgedFile {
  const clear = Buffer.alloc(6);
  clear.writeUInt16BE(65_535, 0);
  const chunks = [...(RGB_CHUNKS['icc adobe'] ?? []), { type: 'tRNS', data: clear }];
  const picture = { width: WIDTH, height: HEIGHT, type: 'rgb', depth: 16, samples: samplesOf('rgb', 16) } as const;
  return { name: 'png rgb 16 with a transparent colour', format: 'png', bytes: writePng({ ...picture, chunks }) };
}

/** AVIFs of all depths and code points, with profiles, alpha and turns. */
export async function avifMatrix(): Promise<JudgedFile[]> {
  const files: JudgedFile[] = [];
  const size = { width: WIDTH, height: HEIGHT, channels: 3 as const };
  const add = (name: string, picture: AvifPicture, warning?: string) =>
    files.push({ name: `avif ${name}`, format: 'avif', bytes: writeAvif(picture), ...(warning ? { warning } : {}) });
  const points: [string, Nclx, string?][] = [
    ['srgb', { primaries: 1, transfer: 13 }],
    ['p3', { primaries: 12, transfer: 13 }],
    ['2020', { primaries: 9, transfer: 14 }],
    ['linear', { primaries: 1, transfer: 8 }],
    ['pq', { primaries: 9, transfer: 16 }, 'hdr_dropped'],
    ['hlg', { primaries: 9, transfer: 18 }, 'hdr_dropped'],
  ];
  for (const bits of [8, 10, 12] as const) {
    const samples = samplesOf('rgb', bits === 8 ? 8 : 16);
    const colour = await encodeAv1(bits === 8 ? Buffer.from(samples) : Uint16Array.from(samples), size, bits);
    for (const [name, nclx, warning] of points) add(`${bits} ${name}`, { colour, nclx }, warning);
    add(`${bits} icc p3`, { colour, icc: matrixProfile(DISPLAY_P3) });
    add(`${bits} icc p3 and nclx`, { colour, icc: matrixProfile(DISPLAY_P3), nclx: { primaries: 9, transfer: 13 } });
    for (const irot of [1, 2] as const)
      add(`${bits} turned ${irot}`, { colour, irot, nclx: { primaries: 12, transfer: 13 } });
    add(`${bits} mirrored`, { colour, imir: 1, nclx: { primaries: 12, transfer: 13 } });
    for (const transfer of [13, 16]) {
      const nclx = { primaries: transfer === 13 ? 12 : 9, transfer, fullRange: false };
      add(`${bits} limited range ${transfer}`, { colour, nclx }, transfer === 16 ? 'hdr_dropped' : undefined);
    }
    const greys = samplesOf('grey', bits === 8 ? 8 : 16);
    const grey = await encodeAv1(
      bits === 8 ? Buffer.from(greys) : Uint16Array.from(greys),
      { ...size, channels: 1 },
      bits,
    );
    add(`${bits} grey`, { colour: grey });
    add(`${bits} grey srgb`, { colour: grey, nclx: { primaries: 1, transfer: 13 } });
    add(`${bits} grey linear`, { colour: grey, nclx: { primaries: 1, transfer: 8 } });
    add(`${bits} grey icc of rgb`, { colour: grey, icc: matrixProfile(LINEAR_SRGB) });
    add(`${bits} grey limited range`, { colour: grey, nclx: { primaries: 1, transfer: 13, fullRange: false } });
  }
  return files;
}
