import type { Exif } from 'sharp';

/** EXIF that must never be sent: names and a place. */
export const PRIVATE_GPS: Exif = {
  IFD0: { Artist: 'Private Person', ImageDescription: 'Private place' },
  IFD3: {
    GPSLatitudeRef: 'N',
    GPSLatitude: '51/1 30/1 3230/100',
    GPSLongitudeRef: 'W',
    GPSLongitude: '0/1 7/1 4366/100',
  },
};
