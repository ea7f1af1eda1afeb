import {
  BT2020_PRIMARIES,
  type ColourSignal,
  type Curve,
  encodeSrgb,
  hlgDisplayFactor,
  type Matrix,
  matrixBetween,
  primariesOf,
  toneFactor,
} from './colour-signal.ts';

/** Samples of a decoded file, 8 or 16 bits each. */
export interface Samples {
  data: Uint8Array | Uint16Array;
  channels: 1 | 3 | 4;
}

const IDENTITY: Matrix = [1, 0, 0, 0, 1, 0, 0, 0, 1];
/** Steps of linear light; the darkest differ by less than one of 255. */
const STEPS = 16_383;
/** Red, green and blue in the luminance of BT.2020. */
const LUMINANCE = [0.2627, 0.678, 0.0593] as const;

/** Converts samples to 8 bits of sRGB. Alpha keeps its values. */
export function toSrgb(samples: Samples, signal: ColourSignal): Buffer {
  const { data } = samples;
  const most = data instanceof Uint16Array ? 65_535 : 255;
  const lights = signal.curves.map((curve) => lightOf(curve, most));
  const first = lights[0] as Float32Array;
  if (!signal.hdr && !signal.matrix && lights.length === 1) return byCurve(samples, first, most);
  if (samples.channels === 1) return byCurve(samples, greyOf(signal, first), most);
  return byMatrix(samples, signal, [first, lights[1] ?? first, lights[2] ?? first], most);
}

function lightOf(curve: Curve, most: number): Float32Array {
  return Float32Array.from({ length: most + 1 }, (_, value) => curve(value / most));
}

/** Grey stays grey under every matrix; high dynamic range is mapped. */
function greyOf({ hdr }: ColourSignal, lights: Float32Array): Float32Array {
  return hdr ? lights.map((light) => displayed(light, hdr)) : lights;
}

function displayed(light: number, hdr: 'pq' | 'hlg'): number {
  const shown = hdr === 'hlg' ? light * hlgDisplayFactor(light) : light;
  return shown * toneFactor(shown);
}

function byCurve({ data, channels }: Samples, lights: Float32Array, most: number): Buffer {
  const table = Uint8Array.from(lights, (light) => encoded(light));
  const result = Buffer.allocUnsafe(data.length);
  const alpha = channels === 4 ? 3 : -1;
  for (let at = 0; at < data.length; at += 1) {
    const value = data[at] ?? 0;
    result[at] = at % channels === alpha ? reduced(value, most) : (table[value] ?? 0);
  }
  return result;
}

function byMatrix(
  { data, channels }: Samples,
  { matrix, hdr }: ColourSignal,
  [red, green, blue]: [Float32Array, Float32Array, Float32Array],
  most: number,
): Buffer {
  const toOutput = hdr ? matrixBetween(primariesOf(BT2020_PRIMARIES) as Matrix) : matrix;
  const [a = 1, b = 0, c = 0, d = 0, e = 1, f = 0, g = 0, h = 0, i = 1] = toOutput ?? IDENTITY;
  const [j = 1, k = 0, l = 0, m = 0, n = 1, o = 0, p = 0, q = 0, s = 1] = (hdr && matrix) || IDENTITY;
  const steps = Uint8Array.from({ length: STEPS + 1 }, (_, step) => encoded(step / STEPS));
  const result = Buffer.allocUnsafe(data.length);
  const at8 = (light: number) => steps[light <= 0 ? 0 : light >= 1 ? STEPS : Math.round(light * STEPS)] ?? 0;
  for (let at = 0; at < data.length; at += channels) {
    let x = red[data[at] ?? 0] ?? 0;
    let y = green[data[at + 1] ?? 0] ?? 0;
    let z = blue[data[at + 2] ?? 0] ?? 0;
    if (hdr) {
      [x, y, z] = [j * x + k * y + l * z, m * x + n * y + o * z, p * x + q * y + s * z];
      const factor = mapped(x, y, z, hdr);
      x *= factor;
      y *= factor;
      z *= factor;
    }
    result[at] = at8(a * x + b * y + c * z);
    result[at + 1] = at8(d * x + e * y + f * z);
    result[at + 2] = at8(g * x + h * y + i * z);
    if (channels === 4) result[at + 3] = reduced(data[at + 3] ?? 0, most);
  }
  return result;
}

/** Returns the factor from the light of an HDR file, of BT.2020, to that of a standard display. */
function mapped(red: number, green: number, blue: number, hdr: 'pq' | 'hlg'): number {
  const luminance = LUMINANCE[0] * red + LUMINANCE[1] * green + LUMINANCE[2] * blue;
  const factor = hdr === 'hlg' ? hlgDisplayFactor(Math.max(0, luminance)) : 1;
  return factor * toneFactor(factor * Math.max(0, red, green, blue));
}

function encoded(light: number): number {
  return Math.round(255 * encodeSrgb(Math.min(1, Math.max(0, light))));
}

function reduced(value: number, most: number): number {
  return most === 255 ? value : Math.round(value / 257);
}
