import type { ImageResult, Variant } from '#contract';
import { placeOf, SAMPLE_SUFFIX } from '#contract/constants';
import type { Core } from '../core.ts';
import { failure } from '../errors.ts';
import type { FileDetail } from '../event-details.ts';
import type { Item } from '../types.ts';

/** Returns the key of a file: its variant, or for other formats than the main one its name. */
export const keyOfFile = ({ format }: ImageResult, { name, filename, ...file }: Variant): string =>
  file.format && file.format !== format ? filename : name;

/** Finds a file by its key, or by its name. */
const fileOf = ({ variants }: ImageResult, key: string) =>
  variants.find(({ name, filename }) => name === key || filename === key);

/** Fetches the bytes of a variant. @throws `not_found` if the result has no such variant */
export async function fetchFile(
  core: Core,
  result: ImageResult,
  variant: string,
  { sample = false, signal }: { sample?: boolean; signal?: AbortSignal } = {},
): Promise<Blob> {
  const found = fileOf(result, variant);
  const { sessionId } = core;
  if (!found || !sessionId) throw failure('not_found');
  const space = sample ? sessionId + SAMPLE_SUFFIX : sessionId;
  // By its address: another file may have got its name since.
  return core.transport().downloadFile(space, placeOf(found.url).filename || found.filename, signal ? { signal } : {});
}

/**
 * Emits the event that offers a file of an export. `allowed`: no listener prevented the default; `promises`: passed to
 * `waitUntil`. @throws `not_found` if the result has no such variant
 */
export function offerFile(
  core: Core,
  type: 'io-download' | 'io-replace',
  item: Item,
  result: ImageResult,
  variant: string,
): { allowed: boolean; promises: readonly Promise<unknown>[]; filename: string } {
  const found = fileOf(result, variant);
  if (!found) throw failure('not_found');
  const { filename, url } = found;
  const promises: Promise<unknown>[] = [];
  const detail: FileDetail = {
    id: item.id,
    imageId: result.imageId,
    clientRef: item.clientRef,
    variant,
    filename,
    url,
    result,
    blob: () => fetchFile(core, result, variant),
    waitUntil: (promise) => promises.push(Promise.resolve(promise)),
  };
  return { allowed: core.emit(type, detail), promises, filename };
}
