/** Properties of an image format. Every place that treats formats differently reads them here. */
interface FormatRow {
  /** Name shown to people. */
  label: string;
  mimeType: `image/${string}`;
  /** Extension of written files, without the dot. */
  extension: string;
  /** Extensions a file of this format may have, in lower case. */
  extensions: readonly string[];
  /** True if uploads may have this format; `optional`: only where the operator switched it on. */
  readable: boolean | 'optional';
  /** Place among the choices of `settings.format`, from 1; null if it cannot be chosen. */
  choice: number | null;
  /** Format written for an upload of this format when `settings.format` is `original`: its own if that can be written; null if it is never uploaded. */
  original: string | null;
}

/** Every format, by name. */
export const FORMATS = {
  jpeg: {
    label: 'JPEG',
    mimeType: 'image/jpeg',
    extension: 'jpg',
    extensions: ['jpg', 'jpeg', 'jpe', 'jfif'],
    readable: true,
    choice: 3,
    original: 'jpeg',
  },
  png: {
    label: 'PNG',
    mimeType: 'image/png',
    extension: 'png',
    extensions: ['png', 'apng'],
    readable: true,
    choice: 4,
    original: 'png',
  },
  webp: {
    label: 'WebP',
    mimeType: 'image/webp',
    extension: 'webp',
    extensions: ['webp'],
    readable: true,
    choice: 1,
    original: 'webp',
  },
  avif: {
    label: 'AVIF',
    mimeType: 'image/avif',
    extension: 'avif',
    extensions: ['avif', 'avifs'],
    readable: true,
    choice: 2,
    original: 'avif',
  },
  gif: {
    label: 'GIF',
    mimeType: 'image/gif',
    extension: 'gif',
    extensions: ['gif'],
    readable: true,
    choice: null,
    original: 'gif',
  },
  tiff: {
    label: 'TIFF',
    mimeType: 'image/tiff',
    extension: 'tif',
    extensions: ['tif', 'tiff'],
    readable: true,
    choice: null,
    original: 'tiff',
  },
  heic: {
    label: 'HEIC',
    mimeType: 'image/heic',
    extension: 'heic',
    extensions: ['heic', 'heif', 'hif'],
    readable: 'optional',
    choice: null,
    original: 'jpeg',
  },
} as const satisfies Record<string, FormatRow>;

type Formats = typeof FORMATS;
type Readable = { [Name in keyof Formats]: Formats[Name]['readable'] extends false ? never : Name }[keyof Formats];
type Selectable = { [Name in keyof Formats]: Formats[Name]['choice'] extends number ? Name : never }[keyof Formats];

/** Every format the service knows. */
export type ImageFormat = keyof Formats;
/** A format uploads may have. */
export type InputFormat = Readable;
/** A format that is written. */
export type EncodedFormat = Selectable | NonNullable<Formats[ImageFormat]['original']>;
/** A value of `settings.format`; `original` keeps the upload's format. */
export type OutputFormat = Selectable | 'original';

/** Capabilities of the encoders by format. Separate from `FORMATS`, since only the service needs them. */
interface EncoderRow {
  /** Longest edge in pixels a file can hold. */
  maxEdge: number;
  /** Peak memory of one encode, in bytes a pixel above the process's base. Measured, rounded up. */
  bytesPerPixel: number;
  /** True if all frames of an animation are read and written. */
  animated: boolean;
}

/**
 * Encoders by format. Edge limits: WebP by RFC 9649, AVIF by the encoder's frame limit, GIF and JPEG by their 16-bit sizes (libjpeg
 * stops at 65,500). HEIC is never written.
 */
export const ENCODERS: { readonly [format in ImageFormat]: EncoderRow } = {
  jpeg: { maxEdge: 65_500, bytesPerPixel: 8, animated: false },
  png: { maxEdge: 2 ** 31 - 1, bytesPerPixel: 8, animated: false },
  webp: { maxEdge: 16_383, bytesPerPixel: 16, animated: true },
  avif: { maxEdge: 16_384, bytesPerPixel: 30, animated: false },
  gif: { maxEdge: 65_535, bytesPerPixel: 8, animated: true },
  tiff: { maxEdge: 2 ** 31 - 1, bytesPerPixel: 8, animated: false },
  heic: { maxEdge: 0, bytesPerPixel: 0, animated: false },
};

// The pure annotations let a bundler drop the tables that a page does not use.
const names = /* @__PURE__ */ Object.keys(FORMATS) as ImageFormat[];

/** Formats uploads may have, by what their bytes are. */
export const INPUT_FORMATS = /* @__PURE__ */ names.filter((name): name is InputFormat => !!FORMATS[name].readable);
/** Formats that every service reads. */
export const DEFAULT_INPUT_FORMATS = /* @__PURE__ */ INPUT_FORMATS.filter((name) => FORMATS[name].readable === true);
/** Values of `settings.format`, in the order clients offer them. */
export const OUTPUT_FORMATS: readonly OutputFormat[] = /* @__PURE__ */ listChoices().concat('original');

function listChoices(): OutputFormat[] {
  return names
    .filter((name): name is Selectable => FORMATS[name].choice !== null)
    .sort((one, other) => FORMATS[one].choice - FORMATS[other].choice);
}

/** Returns the format that is written for an upload: `original` depends on the upload's format. */
export function encodedFormat(output: OutputFormat, input: InputFormat): EncodedFormat {
  return output === 'original' ? FORMATS[input].original : output;
}

/** Extension of an image, at the end of a file name. Anything else may be part of the name, as in "Mr. Smith" or "v1.2". */
export const IMAGE_EXTENSION = /\.(?:jpe?g|jpe|jfif|png|apng|webp|avifs?|gif|tiff?|heic|hei?f|bmp|svg|jxl)$/i;
