import { KERNEL_CODE } from './kernel-code.ts';
import { BLUR, CONE_BIAS, CONES, type Fit } from './layout.ts';

/** The memory of the kernel. Node's types leave WebAssembly to those of browsers. */
interface Memory {
  buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** Functions of `kernel/kernel.ts`; its comments describe them. All pointers are bytes in `memory`. */
interface Exports {
  memory: Memory;
  toLight(pixels: number, table: number, light: number, width: number, height: number): void;
  halveBytes(pixels: number, table: number, half: number, plane: number, width: number, height: number): void;
  halve(light: number, half: number, width: number, height: number): void;
  toPlanes(
    light: number,
    lightPlane: number,
    planes: number,
    width: number,
    height: number,
    colours: number,
    withX: number,
    withB: number,
  ): void;
  WORKSPACE: { value: number };
  prepare(
    plane: number,
    edges: number,
    structure: number,
    width: number,
    height: number,
    from: number,
    to: number,
    blur: number,
    workspace: number,
  ): void;
  compare(
    plane: number,
    edges: number,
    structure: number,
    width: number,
    height: number,
    from: number,
    to: number,
    blur: number,
    flat: number,
    rounding: number,
    workspace: number,
    sums: number,
  ): void;
}

/** The running kernel and the addresses of its constants. */
export interface Kernel extends Exports {
  table: number;
  colours: number;
  blur: number;
}

/** Compiled code. */
type Code = object;

declare const WebAssembly: {
  compile(code: Buffer): Promise<Code>;
  Instance: new (code: Code) => { exports: Exports };
};

const TABLE = 1024;
const COLOURS = TABLE + 256 * 4;
const BLUR_AT = COLOURS + 17 * 4;
const PAGE = 65_536;

/** Compiles the kernel. @returns what starts one, with a memory of its own */
export async function compileKernel(fit: Fit): Promise<() => Kernel> {
  const code = await WebAssembly.compile(Buffer.from(KERNEL_CODE, 'base64'));
  return () => startKernel(code, fit);
}

/** Starts a kernel and writes its constants. */
function startKernel(code: Code, { toUnit }: Fit): Kernel {
  const { exports } = new WebAssembly.Instance(code);
  ensureMemory(exports.memory, PAGE);
  const { buffer } = exports.memory;
  new Float32Array(buffer, TABLE, 256).set(Float32Array.from({ length: 256 }, (_, value) => lightOf(value)));
  new Float32Array(buffer, COLOURS, 17).set([...CONES.flat(), CONE_BIAS, Math.cbrt(CONE_BIAS), ...toUnit.flat()]);
  new Float32Array(buffer, BLUR_AT, BLUR.length).set(BLUR);
  return { ...exports, table: TABLE, colours: COLOURS, blur: BLUR_AT };
}

/** Lets the memory grow to at least so many bytes. */
export function ensureMemory(memory: Memory, bytes: number): void {
  const missing = bytes - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
}

/** Light of an sRGB value from 0 to 255 (IEC 61966-2-1). */
function lightOf(value: number): number {
  const signal = value / 255;
  return signal <= 0.04045 ? signal / 12.92 : ((signal + 0.055) / 1.055) ** 2.4;
}
