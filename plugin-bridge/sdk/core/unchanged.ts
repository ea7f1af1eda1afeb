import { ConnectionError } from '../errors.ts';

/** Up to this size a file is sent from the copy that was checked, in bytes. */
const COPIED_BYTES = 2 ** 23;
/** Bytes at both ends of a file that are compared. */
const END_BYTES = 2048;

/** Size, time and ends of files as they were when they were chosen. */
const marks = new WeakMap<Blob, Promise<string>>();

/** A host's Blob has no time. */
const markOf = async (file: Blob, size: number, time = 0) =>
  [size, time, await new Blob([file.slice(0, END_BYTES), file.slice(-END_BYTES)]).text()].join();

/** Remembers a file as it is now, so that its upload notices a change. Else it is remembered when its upload begins. */
export function rememberFile(file: Blob, { size, lastModified }: Pick<File, 'size' | 'lastModified'> = file as File) {
  const mark = marks.get(file) ?? markOf(file, size, lastModified);
  marks.set(file, mark);
  // A file that cannot be read is tried again when it is sent.
  mark.catch(() => marks.delete(file));
  return mark;
}

/**
 * Checks that a file is as it was when it was chosen, since some browsers send another one in silence or wait for ever.
 * @returns what to send: a copy that was checked, or a large file itself
 * @throws ConnectionError file_changed
 */
export const requireUnchanged = (file: Blob): Promise<Blob> =>
  compare(file).catch((reason) => {
    throw new ConnectionError('file_changed', reason);
  });

async function compare(file: Blob): Promise<Blob> {
  const before = await rememberFile(file);
  // All is read: of a file that has grown, Firefox says the former size, and sends more.
  const copy = await new Response(file.stream()).blob();
  const mark = await markOf(copy, copy.size, (file as File).lastModified);
  if (mark !== before) return Promise.reject();
  return file.size > COPIED_BYTES ? file : new Blob([copy], file);
}
