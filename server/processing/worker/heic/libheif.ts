import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { LibHeif } from 'libheif-js/libheif-wasm/libheif.js';

/** A memory of WebAssembly. Node's types leave WebAssembly to those of browsers. */
interface Memory {
  buffer: ArrayBuffer;
  grow(pages: number): number;
}

declare const WebAssembly: {
  compile(code: Buffer): Promise<object>;
  Instance: new (code: object, imports: object) => { exports: object };
  Memory: new () => Memory;
};

/** Memory of a new instance of the library, in bytes. */
const START_BYTES = 32_000_000;
/** A page of WebAssembly's memory. */
const PAGE_BYTES = 65_536;

let loaded: ReturnType<typeof load> | undefined;

/**
 * Starts an instance of the library. Each has a memory of its own, which ends with it, and which never takes more than the given bytes: then
 * the library reports that it has none left. The package is loaded at the first call.
 */
export async function startLibHeif(bytes: number): Promise<LibHeif> {
  loaded ??= load();
  const { create, code } = await loaded;
  const silent = () => {};
  return create({
    print: silent,
    printErr: silent,
    instantiateWasm(imports, receive) {
      const instance = new WebAssembly.Instance(code, imports);
      limitMemory(instance.exports, START_BYTES + bytes);
      receive(instance, code);
      return instance.exports;
    },
  });
}

/** Compiles the code, once for all instances. */
async function load() {
  const { default: create } = await import('libheif-js/libheif-wasm/libheif.js');
  const file = createRequire(import.meta.url).resolve('libheif-js/libheif-wasm/libheif.wasm');
  return { create, code: await WebAssembly.compile(await readFile(file)) };
}

function limitMemory(exports: object, most: number): void {
  const memory: unknown = Object.values(exports).find((one) => one instanceof WebAssembly.Memory);
  if (!(memory instanceof WebAssembly.Memory)) throw new Error('expected the memory of libheif among its exports');
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * PAGE_BYTES > most) throw new RangeError('the memory is used up');
    return grow(pages);
  };
}
