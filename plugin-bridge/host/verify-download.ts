import { HostError } from './host-error.ts';
import { sha256 } from './sha256.ts';

/** Properties of a file as stated by the service. */
export interface ExpectedFile {
  filename: string;
  /** Bytes. */
  size: number;
  /** Hexadecimal. */
  sha256: string;
  /** Pixels. */
  width: number;
  /** Pixels. */
  height: number;
}

/** Decodes an image and returns its size in pixels. @throws if it cannot be decoded */
export type DecodeImage = (blob: Blob) => Promise<{ width: number; height: number }>;

/** Decodes by the browser. */
export const decodeInBrowser: DecodeImage = async (blob) => {
  const bitmap = await createImageBitmap(blob);
  const { width, height } = bitmap;
  bitmap.close();
  return { width, height };
};

/**
 * Verifies size, checksum and pixels of a download. Detects, for example, the error page of a proxy or a cut connection
 * before anything is replaced.
 * @throws HostError `damaged`
 */
export async function verifyDownload(blob: Blob, expected: ExpectedFile, decode: DecodeImage): Promise<void> {
  const refuse = (what: string, cause?: unknown) =>
    new HostError('damaged', `${expected.filename}: ${what}`, cause === undefined ? undefined : { cause });
  if (blob.size !== expected.size) throw refuse(`${blob.size} bytes instead of ${expected.size}`);
  if ((await sha256(blob)) !== expected.sha256) throw refuse('the checksum differs');
  let pixels: { width: number; height: number };
  try {
    pixels = await decode(blob);
  } catch (error) {
    throw refuse('cannot be decoded', error);
  }
  if (pixels.width !== expected.width || pixels.height !== expected.height) {
    throw refuse(`${pixels.width} x ${pixels.height} pixels instead of ${expected.width} x ${expected.height}`);
  }
}
