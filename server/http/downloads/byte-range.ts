/** A part of a file; both ends are included, as in RFC 9110, 14.1.2. */
export interface ByteRange {
  first: number;
  last: number;
}

/**
 * Reads a `Range` header against a file of `size` bytes (RFC 9110, 14.2).
 * @returns the range; `none` to ignore the header (absent, malformed, another unit, several ranges); `unsatisfiable`
 */
export function parseByteRange(header: string, size: number): ByteRange | 'none' | 'unsatisfiable' {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header);
  const [, from = '', to = ''] = match ?? [];
  if (from === '' && to === '') return 'none';
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 };
  }
  const first = Number(from);
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== '' && Number(to) < first) return 'none';
  return first >= size ? 'unsatisfiable' : { first, last };
}
