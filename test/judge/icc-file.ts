/** Curve of a profile: one power, or a function of the encoded value. */
export type ProfileCurve = number | ((value: number) => number);

/** A profile of a matrix and curves. */
export interface MatrixSpace {
  /** x and y of red, green and blue; white is D65. */
  primaries: readonly number[];
  curve: ProfileCurve;
}

const srgbCurve = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const D65 = [0.95047, 1, 1.08883] as const;
const D50 = [0.9642, 1, 0.8249] as const;
/** From D65 to D50 (Bradford), as in the profiles of the ICC. */
const ADAPTATION = [
  1.0478112, 0.0228866, -0.050127, 0.0295424, 0.9904844, -0.0170491, -0.0092345, 0.0150436, 0.7521316,
];

/** Spaces with white D65. */
export const SRGB: MatrixSpace = { primaries: [0.64, 0.33, 0.3, 0.6, 0.15, 0.06], curve: srgbCurve };
export const DISPLAY_P3: MatrixSpace = { primaries: [0.68, 0.32, 0.265, 0.69, 0.15, 0.06], curve: srgbCurve };
export const ADOBE_RGB: MatrixSpace = { primaries: [0.64, 0.33, 0.21, 0.71, 0.15, 0.06], curve: 563 / 256 };
export const LINEAR_SRGB: MatrixSpace = { ...SRGB, curve: 1 };
export const BT2020: MatrixSpace = { primaries: [0.708, 0.292, 0.17, 0.797, 0.131, 0.046], curve: 2.4 };

/** Writes a profile of version 2 (ICC.1:2001) for RGB. */
export function matrixProfile({ primaries, curve }: MatrixSpace): Buffer {
  const columns = colorants(primaries);
  const xyz = (index: number) => xyzTag([0, 1, 2].map((row) => columns[row * 3 + index] ?? 0));
  const trc = curveTag(curve);
  return profile('RGB ', [
    ['rXYZ', xyz(0)],
    ['gXYZ', xyz(1)],
    ['bXYZ', xyz(2)],
    ['rTRC', trc],
    ['gTRC', trc],
    ['bTRC', trc],
  ]);
}

/** Writes a profile for grey. */
export function greyProfile(curve: ProfileCurve): Buffer {
  return profile('GRAY', [['kTRC', curveTag(curve)]]);
}

function profile(space: string, own: [string, Buffer][]): Buffer {
  const tags: [string, Buffer][] = [
    ['desc', description('made for a test')],
    ['cprt', Buffer.from('text\0\0\0\0none\0\0\0\0', 'latin1')],
    ['wtpt', xyzTag(D50)],
    ...own,
  ];
  const head = Buffer.alloc(128 + 4 + tags.length * 12);
  head.writeUInt32BE(0x02100000, 8);
  head.write(`mntr${space}XYZ `, 12, 'latin1');
  head.write('acsp', 36, 'latin1');
  [D50[0], D50[1], D50[2]].forEach((value, index) => {
    head.writeInt32BE(Math.round(value * 65_536), 68 + index * 4);
  });
  head.writeUInt32BE(tags.length, 128);
  let at = head.length;
  tags.forEach(([name, data], index) => {
    head.write(name, 132 + index * 12, 'latin1');
    head.writeUInt32BE(at, 136 + index * 12);
    head.writeUInt32BE(data.length, 140 + index * 12);
    at += data.length;
  });
  head.writeUInt32BE(at, 0);
  return Buffer.concat([head, ...tags.map(([, data]) => data)]);
}

function colorants(xy: readonly number[]): number[] {
  const [rx = 0, ry = 0, gx = 0, gy = 0, bx = 0, by = 0] = xy;
  const columns = [rx / ry, gx / gy, bx / by, 1, 1, 1, (1 - rx - ry) / ry, (1 - gx - gy) / gy, (1 - bx - by) / by];
  const scale = solve(columns, D65);
  const xyz = columns.map((value, index) => value * (scale[index % 3] ?? 0));
  return Array.from({ length: 9 }, (_, index) =>
    [0, 1, 2].reduce(
      (sum, k) => sum + (ADAPTATION[Math.floor(index / 3) * 3 + k] ?? 0) * (xyz[k * 3 + (index % 3)] ?? 0),
      0,
    ),
  );
}

/** Solves three equations (Cramer). */
function solve(m: readonly number[], right: readonly number[]): number[] {
  const full = determinant(m);
  return [0, 1, 2].map((column) => {
    const changed = m.map((value, index) => (index % 3 === column ? (right[Math.floor(index / 3)] ?? 0) : value));
    return determinant(changed) / full;
  });
}

function determinant([a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0]: readonly number[]): number {
  return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
}

function xyzTag(values: readonly number[]): Buffer {
  const tag = Buffer.alloc(20);
  tag.write('XYZ ', 0, 'latin1');
  values.forEach((value, index) => {
    tag.writeInt32BE(Math.round(value * 65_536), 8 + index * 4);
  });
  return tag;
}

function curveTag(curve: ProfileCurve): Buffer {
  const points =
    typeof curve === 'number'
      ? [Math.round(curve * 256)]
      : Array.from({ length: 1024 }, (_, index) => Math.round(curve(index / 1023) * 65_535));
  const tag = Buffer.alloc(12 + points.length * 2 + (points.length % 2) * 2);
  tag.write('curv', 0, 'latin1');
  tag.writeUInt32BE(points.length, 8);
  points.forEach((value, index) => {
    tag.writeUInt16BE(value, 12 + index * 2);
  });
  return tag;
}

function description(text: string): Buffer {
  const tag = Buffer.alloc(12 + text.length + 1 + 78 + ((4 - ((text.length + 91) % 4)) % 4));
  tag.write('desc', 0, 'latin1');
  tag.writeUInt32BE(text.length + 1, 8);
  tag.write(text, 12, 'latin1');
  return tag;
}
