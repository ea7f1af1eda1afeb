import type { ColourType } from './png-file.ts';

/** A file to judge. */
export interface JudgedFile {
  name: string;
  format: 'png' | 'avif' | 'tiff' | 'jpeg' | 'webp' | 'gif';
  bytes: Buffer;
  /** A warning that has to name what becomes different. */
  warning?: string;
  /** True if programs differ in what they show, so that the warning has to do. */
  isVague?: boolean;
}

/** Size of the pictures. */
export const WIDTH = 64;
export const HEIGHT = 32;
/** Colours of the patches, 16 x 16 pixels each, and their alpha. */
export const PATCHES = [
  [255, 0, 0, 255],
  [20, 200, 60, 255],
  [30, 60, 220, 128],
  [200, 120, 90, 255],
  [12, 12, 12, 255],
  [128, 128, 128, 60],
  [230, 200, 60, 255],
  [255, 255, 255, 0],
];

/** Returns the colour of a pixel. */
export function patchAt(x: number, y: number): number[] {
  return PATCHES[(x >> 4) + (y >> 4) * 4] as number[];
}

/** Samples of the patches with some bits and channels. */
export function samplesOf(type: Exclude<ColourType, 'palette'>, bits: number): number[] {
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

/** Numbers of the patches, of each pixel. */
export function indicesOf(): number[] {
  return Array.from({ length: WIDTH * HEIGHT }, (_, at) => ((at % WIDTH) >> 4) + (Math.floor(at / WIDTH) >> 4) * 4);
}
