import { unzipSync } from 'fflate';
import { expect, it } from 'vitest';
import { writeZip, type ZipFile } from '../../widget/elements/io-take-away/write-zip.ts';

async function* files(count: number): AsyncGenerator<ZipFile> {
  const data = new Blob(['x']);
  for (let index = 0; index < count; index += 1) yield { name: `${index}.txt`, data };
}

/** Tests that a ZIP of each of these numbers of files has all of them. */
export function testZips(counts: readonly number[]): void {
  it.each(counts)('a ZIP of %i files has all of them', expectComplete);
}

async function expectComplete(count: number): Promise<void> {
  const bytes = new Uint8Array(await new Response(writeZip(files(count))).arrayBuffer());
  const found = unzipSync(bytes);
  expect(Object.keys(found)).toHaveLength(count);
  expect(new TextDecoder().decode(found[`${count - 1}.txt`])).toBe('x');
  // Older programs read the end without 64 bits, which small archives keep.
  const end = new DataView(bytes.buffer, bytes.length - 22);
  expect(end.getUint16(10, true)).toBe(Math.min(count, 65_535));
  const has64 = new DataView(bytes.buffer, bytes.length - 42).getUint32(0, true) === 0x07064b50;
  expect(has64).toBe(count >= 65_535);
}
