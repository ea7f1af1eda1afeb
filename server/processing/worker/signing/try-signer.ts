import sharp from 'sharp';
import type { Signer } from '../../shared/signer.ts';
import { loadC2pa } from './c2pa-library.ts';
import { readCredentials } from './read-credentials.ts';
import { signFile } from './sign-file.ts';

/** Signs a tiny image and reads it back. @returns what is wrong with the signature; nothing if it is valid */
export async function trySigner(signer: Signer): Promise<string[]> {
  const c2pa = await loadC2pa();
  const image = await sharp({ create: { width: 1, height: 1, channels: 3, background: '#fff' } })
    .png()
    .toBuffer();
  try {
    const signed = await signFile(c2pa, image, { mimeType: 'image/png', actions: [] }, signer);
    const { valid, failures } = await readCredentials(c2pa, 'image/png', signed);
    return valid ? [] : [...failures, 'not valid'].slice(0, Math.max(1, failures.length));
  } catch (error) {
    return [String(error)];
  }
}
