/** Requested edges. The decoder picks the largest n/8 of the JPEG's size with no more pixels than this square. */
const EDGES = [480, 1000];

/**
 * Decodes a JPEG at a fraction of its size, in a tenth of the time and a fiftieth of the memory. Null if the browser
 * cannot, or if the result would be smaller than `edge` pixels. The caller closes the frame.
 */
export async function decodeSmall(file: Blob, edge: number): Promise<VideoFrame | null> {
  // Absent in some browsers, and on pages without TLS.
  if (typeof ImageDecoder !== 'function' || file.type !== 'image/jpeg') return null;
  for (const side of EDGES) {
    const options = { type: file.type, data: file.stream(), desiredWidth: side, desiredHeight: side };
    const decoder = new ImageDecoder(options);
    // Fails if even an eighth has more pixels.
    const frame = (await decoder.decode().catch(() => null))?.image;
    decoder.close();
    if (frame && Math.min(frame.codedWidth, frame.codedHeight) >= edge) return frame;
    frame?.close();
  }
  return null;
}
