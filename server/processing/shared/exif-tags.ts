/** A tag of EXIF: in the first directory (`image`), or in the one of the photograph (`photo`). */
export interface ExifTag {
  directory: 'image' | 'photo';
  tag: number;
}

/** Tags that are handled one by one (Exif 3.0, TIFF 6.0). */
export const EXIF = {
  description: 0x010e,
  orientation: 0x0112,
  xResolution: 0x011a,
  yResolution: 0x011b,
  resolutionUnit: 0x0128,
  software: 0x0131,
  artist: 0x013b,
  hostComputer: 0x013c,
  rating: 0x4746,
  copyright: 0x8298,
  photo: 0x8769,
  gps: 0x8825,
  makerNote: 0x927c,
  userComment: 0x9286,
  imageId: 0xa420,
  cameraOwner: 0xa430,
  bodySerial: 0xa431,
  lensSerial: 0xa435,
} as const;

/** Tags of the photograph's directory among {@link EXIF}; the others belong to the first one. */
const IN_PHOTO: ReadonlySet<number> = new Set([
  ...[EXIF.makerNote, EXIF.userComment, EXIF.imageId, EXIF.cameraOwner, EXIF.bodySerial, EXIF.lensSerial],
]);

/** Returns a tag with its directory. */
export function exifTag(tag: (typeof EXIF)[keyof typeof EXIF]): ExifTag {
  return { directory: IN_PHOTO.has(tag) ? 'photo' : 'image', tag };
}

const image = (...tags: number[]): ExifTag[] => tags.map((tag) => ({ directory: 'image', tag }));
const photo = (...tags: number[]): ExifTag[] => tags.map((tag) => ({ directory: 'photo', tag }));

/** Make and model, exposure, aperture, sensitivity, metering, flash, focal length, white balance, lens. */
export const CAMERA_TAGS: readonly ExifTag[] = [
  ...image(0x010f, 0x0110),
  ...photo(0x829a, 0x829d, 0x8822, 0x8827, 0x8830, 0x8831, 0x8832, 0x9201, 0x9202, 0x9203, 0x9204, 0x9205, 0x9206),
  ...photo(0x9207, 0x9208, 0x9209, 0x920a, 0xa20e, 0xa20f, 0xa210, 0xa217, 0xa300, 0xa301, 0xa401, 0xa402, 0xa403),
  ...photo(0xa404, 0xa405, 0xa406, 0xa407, 0xa408, 0xa409, 0xa40a, 0xa40c, 0xa432, 0xa433, 0xa434),
];

/** Times of the change, of the photograph and of its digitization, with their zones and fractions. */
export const DATE_TAGS: readonly ExifTag[] = [
  ...image(0x0132),
  ...photo(0x9003, 0x9004, 0x9010, 0x9011, 0x9012, 0x9290, 0x9291, 0x9292),
];
