import { type AvifPicture, encodeAv1, type Nclx, writeAvif } from './avif-file.ts';
import { ADOBE_RGB, BT2020, DISPLAY_P3, greyProfile, LINEAR_SRGB, matrixProfile, SRGB } from './icc-file.ts';
import { type ColourType, cHRM, cICP, eXIf, gAMA, iCCP, type PngChunk, SAMPLES, sRGB, writePng } from './png-file.ts';
import { writeTiff } from './tiff-file.ts';

/** A file to judge. */
export interface JudgedFile {
  name: string;
  format: 'png' | 'avif' | 'tiff';
  bytes: Buffer;
  /** A warning that has to name what becomes different. */
  warning?: string;
}

const WIDTH = 64;
const HEIGHT = 32;
/** Colours of the patches, 16 x 16 pixels each, and their alpha. */
const PATCHES = [
  [255, 0, 0, 255],
  [20, 200, 60, 255],
  [30, 60, 220, 128],
  [200, 120, 90, 255],
  [12, 12, 12, 255],
  [128, 128, 128, 60],
  [230, 200, 60, 255],
  [255, 255, 255, 0],
];
const P3_XY = [0.3127, 0.329, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06];

function patchAt(x: number, y: number): number[] {
  return PATCHES[(x >> 4) + (y >> 4) * 4] as number[];
}

/** Samples of the patches with some bits and channels. */
function samplesOf(type: Exclude<ColourType, 'palette'>, bits: number): number[] {
  const most = 2 ** bits - 1;
  const samples: number[] = [];
  for (let y = 0; y < HEIGHT; y += 1) {
    for (let x = 0; x < WIDTH; x += 1) {
      const [red = 0, green = 0, blue = 0, alpha = 255] = patchAt(x, y);
      const colours = type.startsWith('grey') ? [green] : [red, green, blue];
      const values = type.endsWith('a') || type === 'grey-alpha' ? [...colours, alpha] : colours;
      samples.push(...values.map((value) => Math.round((value * most) / 255)));
    }
  }
  return samples;
}

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
  return [...files, ...palettes(), transparentColour()];
}

function palettes(): JudgedFile[] {
  const indices = Array.from(
    { length: WIDTH * HEIGHT },
    (_, at) => ((at % WIDTH) >> 4) + (Math.floor(at / WIDTH) >> 4) * 4,
  );
  const colours: PngChunk = { type: 'PLTE', data: Buffer.from(PATCHES.flatMap((patch) => patch.slice(0, 3))) };
  const alpha: PngChunk = { type: 'tRNS', data: Buffer.from(PATCHES.map((patch) => patch[3] ?? 255)) };
  const picture = { width: WIDTH, height: HEIGHT, type: 'palette', depth: 8, samples: indices } as const;
  return ['none', 'gamma', 'linear p3', 'icc p3', 'cicp p3'].map((name) => ({
    name: `png palette ${name}`,
    format: 'png' as const,
    bytes: writePng({ ...picture, chunks: [...(RGB_CHUNKS[name] ?? []), colours, alpha] }),
  }));
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
  }
  return files;
}

/** TIFFs of colours, grey and indices, with and without profiles. */
export function tiffMatrix(): JudgedFile[] {
  const files: JudgedFile[] = [];
  const size = { width: WIDTH, height: HEIGHT };
  for (const bits of [8, 16] as const) {
    for (const [name, icc] of Object.entries({
      none: undefined,
      adobe: matrixProfile(ADOBE_RGB),
      p3: matrixProfile(DISPLAY_P3),
    })) {
      const rgb = {
        ...size,
        kind: 'rgb',
        bits,
        samplesPerPixel: 3,
        samples: samplesOf('rgb', bits),
        ...(icc ? { icc } : {}),
      } as const;
      files.push({ name: `tiff rgb ${bits} ${name}`, format: 'tiff', bytes: writeTiff(rgb) });
      files.push({
        name: `tiff turned rgb ${bits} ${name}`,
        format: 'tiff',
        bytes: writeTiff({ ...rgb, orientation: 6 }),
      });
    }
    const grey = { ...size, kind: 'grey', bits, samplesPerPixel: 1, samples: samplesOf('grey', bits) } as const;
    files.push({ name: `tiff grey ${bits}`, format: 'tiff', bytes: writeTiff(grey) });
    files.push({ name: `tiff grey ${bits} icc`, format: 'tiff', bytes: writeTiff({ ...grey, icc: greyProfile(1) }) });
  }
  return files;
}
