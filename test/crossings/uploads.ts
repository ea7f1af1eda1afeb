import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { makeUltraHdr } from '../processing/ultra-hdr.ts';
import { FIXTURES } from '../support/api-client.ts';
import { signAsCamera } from '../support/signed-files.ts';
import type { Kind } from './table.ts';

/** A file as a person has it. */
export interface Upload {
  name: string;
  bytes: Buffer;
  type: string;
}

/** Pixels of the pictures that are made here: so many that a smaller file is worth its bytes. */
const [WIDTH, HEIGHT] = [384, 256];

/** Returns one file of each kind. */
export async function uploadsOfKinds(): Promise<Record<Kind, Upload>> {
  const read = (path: string) => readFile(join(FIXTURES, path));
  const photo = sharp(await read('photos/photo-stream.jpg')).resize(WIDTH, HEIGHT);
  const jpeg = await photo.clone().jpeg({ quality: 95 }).toBuffer();
  return {
    still: { name: 'still.jpg', bytes: jpeg, type: 'image/jpeg' },
    animated: { name: 'animated.gif', bytes: await read('field/d-control.gif'), type: 'image/gif' },
    transparent: { name: 'transparent.png', bytes: await halfTransparent(jpeg), type: 'image/png' },
    HDR: { name: 'hdr.jpg', bytes: await makeUltraHdr({ width: WIDTH, height: HEIGHT }, light), type: 'image/jpeg' },
    credentials: { name: 'credentials.jpg', bytes: await signAsCamera(jpeg, 'image/jpeg'), type: 'image/jpeg' },
    places: { name: 'places.jpg', bytes: await read('field/c2pa-stds.exif.jpg'), type: 'image/jpeg' },
    '16 bits': { name: 'deep.png', bytes: await read('field/rgb16-srgb.png'), type: 'image/png' },
    HEIC: { name: 'phone.heic', bytes: await read('heic/places.heic'), type: 'image/heic' },
  };
}

/** Waves, which no encoder stores in a few bytes. */
function light(x: number, y: number): number {
  return (x / WIDTH) * (0.6 + 0.4 * Math.sin(x / 3) * Math.cos(y / 5));
}

/** Makes the left half of a picture transparent. */
async function halfTransparent(picture: Buffer): Promise<Buffer> {
  const { data, info } = await sharp(picture).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  for (let at = 0; at < data.length; at += 4) if ((at / 4) % info.width < info.width / 2) data[at + 3] = 0;
  return sharp(data, { raw: { width: info.width, height: info.height, channels: 4 } })
    .png()
    .toBuffer();
}
