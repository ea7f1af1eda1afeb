import { ADOBE_RGB, DISPLAY_P3, greyProfile, matrixProfile } from './icc-file.ts';
import { HEIGHT, indicesOf, type JudgedFile, PATCHES, patchAt, samplesOf, WIDTH } from './patches.ts';
import { writeTiff } from './tiff-file.ts';

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
  return [...files, ...inkAndLab(), ...indexed()];
}

/** CMYK and CIELAB; what no profile describes is named by its warning. */
function inkAndLab(): JudgedFile[] {
  const size = { width: WIDTH, height: HEIGHT };
  const files: JudgedFile[] = [];
  for (const bits of [8, 16] as const) {
    const most = 2 ** bits - 1;
    const inks = pixels().flatMap(([red = 0, green = 0, blue = 0]) =>
      [255 - red, 255 - green, 255 - blue, 0].map((value) => Math.round((value * most) / 255)),
    );
    const cmyk = { ...size, kind: 'cmyk', bits, samplesPerPixel: 4, samples: inks } as const;
    const warning = 'cmyk_converted';
    files.push({ name: `tiff cmyk ${bits}`, format: 'tiff', bytes: writeTiff(cmyk), warning, isVague: true });
  }
  // The library refuses 8 bits.
  const lab = { ...size, kind: 'lab', bits: 16, samplesPerPixel: 3, samples: labSamples() } as const;
  return [...files, { name: 'tiff lab 16', format: 'tiff', bytes: writeTiff(lab) }];
}

function indexed(): JudgedFile[] {
  const size = { width: WIDTH, height: HEIGHT, samplesPerPixel: 1 };
  const map = Array<number>(768).fill(0);
  for (const [index, colour] of PATCHES.entries()) {
    for (let channel = 0; channel < 3; channel += 1) map[channel * 256 + index] = (colour[channel] ?? 0) * 257;
  }
  const palette = { ...size, kind: 'palette', bits: 8, samples: indicesOf(), colourMap: map } as const;
  const bits = pixels().map(([, green = 0]) => (green > 127 ? 1 : 0));
  const bilevel = (kind: 'grey' | 'whiteIsZero') => writeTiff({ ...size, kind, bits: 1, samples: bits });
  const inverted = pixels().map(([, green = 0]) => 255 - green);
  return [
    { name: 'tiff palette', format: 'tiff', bytes: writeTiff(palette) },
    { name: 'tiff palette icc', format: 'tiff', bytes: writeTiff({ ...palette, icc: matrixProfile(ADOBE_RGB) }) },
    { name: 'tiff 1 bit', format: 'tiff', bytes: bilevel('grey') },
    { name: 'tiff 1 bit, white is zero', format: 'tiff', bytes: bilevel('whiteIsZero') },
    {
      name: 'tiff grey 8, white is zero',
      format: 'tiff',
      bytes: writeTiff({ ...size, kind: 'whiteIsZero', bits: 8, samples: inverted }),
    },
    {
      name: 'tiff rgba 8',
      format: 'tiff',
      bytes: writeTiff({
        ...size,
        kind: 'rgb',
        bits: 8,
        samplesPerPixel: 4,
        samples: samplesOf('rgba', 8),
        extraSample: 2,
      }),
    },
  ];
}

function pixels(): number[][] {
  return Array.from({ length: WIDTH * HEIGHT }, (_, at) => patchAt(at % WIDTH, Math.floor(at / WIDTH)));
}

/** Lightness from 0 to 100 over all values; a and b signed. Colours that sRGB holds. */
function labSamples(): number[] {
  const colours = [
    [50, 0, 0],
    [60, 30, 20],
    [40, -20, 25],
    [30, 15, -40],
    [80, -10, 60],
    [20, 0, 0],
    [95, 0, 0],
    [70, 20, -15],
  ];
  const signed = (value: number) => (value * 256) & 65_535;
  return indicesOf().flatMap((index) => {
    const [lightness = 0, a = 0, b = 0] = colours[index] ?? [];
    return [Math.round((lightness * 65_535) / 100), signed(a), signed(b)];
  });
}
