import sharp from 'sharp';
import type { SmallImage } from '../../support/small-images.ts';

/** Returns a JPEG with copyright and, if wanted, a place in its EXIF. */
export async function imageWith({ copyright, place }: { copyright: string; place: boolean }): Promise<SmallImage> {
  const image = sharp({ create: { width: 90, height: 60, channels: 3, background: '#553311' } }).jpeg();
  const gps = {
    GPSLatitudeRef: 'N',
    GPSLatitude: '52/1 30/1 0/1',
    GPSLongitudeRef: 'E',
    GPSLongitude: '13/1 24/1 0/1',
  };
  const bytes = await image.withExif({ IFD0: { Copyright: copyright }, ...(place ? { IFD3: gps } : {}) }).toBuffer();
  return { name: 'carrying.jpg', bytes };
}
