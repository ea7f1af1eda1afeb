/** Longest name in bytes of UTF-8: the 255 of file systems without `-8192w`, a number or a random part, an extension, and what browsers add. */
const MAX_BYTES = 215;

/** Shortens a file's name without its extension, so that those of its sizes fit a file system. Cuts between two characters. */
export function shortName(name: string): string {
  const bytes = new TextEncoder().encode(name);
  if (bytes.length <= MAX_BYTES) return name;
  return new TextDecoder().decode(bytes.subarray(0, MAX_BYTES)).replace(/\uFFFD+$/, '');
}
