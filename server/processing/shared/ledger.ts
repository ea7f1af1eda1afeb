import type { WarningCode } from '#contract';
import type { EncodedFormat, InformationKind, MetadataLevel } from '#contract/constants';
import { INFORMATION, METADATA_LEVELS } from '#contract/constants';
import { CAMERA_TAGS, DATE_TAGS, EXIF, type ExifTag, exifTag } from './exif-tags.ts';

/** Form of an XMP property: one text, texts by language, a list, or a list of structures. */
export type XmpForm = 'text' | 'alt' | 'bag' | 'seq' | 'structs-bag' | 'structs-seq';

/** An XMP property; of a structure only the listed fields are known. */
export interface XmpProperty {
  name: `${string}:${string}`;
  form: XmpForm;
  fields?: readonly string[];
}

/** Sources of one kind of information, and the formats that cannot hold it. */
export interface LedgerRow {
  /** Name in the documentation. */
  title: string;
  /** Place in the file and outcome, for the documentation. */
  note?: string;
  exif?: readonly ExifTag[];
  xmp?: readonly XmpProperty[];
  /** IPTC-IIM datasets of record 2 with the XMP property that holds them in the output; null: none. */
  iptc?: Readonly<Record<number, string | null>>;
  /** Keywords of texts of a PNG. */
  png?: readonly string[];
  /** Formats that lose it, with the warning that names it. */
  dropped: Readonly<Partial<Record<EncodedFormat, WarningCode>>>;
}

const text = (name: XmpProperty['name']): XmpProperty => ({ name, form: 'text' });
const alt = (name: XmpProperty['name']): XmpProperty => ({ name, form: 'alt' });
const bag = (name: XmpProperty['name']): XmpProperty => ({ name, form: 'bag' });
const seq = (name: XmpProperty['name']): XmpProperty => ({ name, form: 'seq' });
const texts = (...names: XmpProperty['name'][]) => names.map(text);

const EVERYWHERE = {};
const every = (code: WarningCode) => ({ jpeg: code, png: code, webp: code, avif: code, tiff: code, gif: code });
/** GIF gets no metadata. */
const NOT_IN_GIF = { gif: 'metadata_not_written' } as const;
/** TIFF gets XMP, but no EXIF directory. */
const NO_EXIF = { gif: 'metadata_not_written', tiff: 'metadata_not_written' } as const;

/**
 * The ledger of information: what a file can carry, and what becomes of it in each format. The reader, the writers, the tests and
 * `docs/metadata.md` follow from it. What is in no row is removed.
 */
const LEDGER = {
  creator: {
    title: 'Creator',
    exif: [exifTag(EXIF.artist)],
    xmp: [seq('dc:creator')],
    iptc: { 80: 'dc:creator' },
    png: ['Author'],
    dropped: NOT_IN_GIF,
  },
  copyright: {
    title: 'Copyright',
    exif: [exifTag(EXIF.copyright)],
    xmp: [
      alt('dc:rights'),
      text('xmpRights:Marked'),
      {
        name: 'plus:CopyrightOwner',
        form: 'structs-seq',
        fields: ['plus:CopyrightOwnerName', 'plus:CopyrightOwnerID'],
      },
    ],
    iptc: { 116: 'dc:rights' },
    png: ['Copyright'],
    dropped: NOT_IN_GIF,
  },
  credit: {
    title: 'Credit line and source',
    xmp: texts('photoshop:Credit', 'photoshop:Source'),
    iptc: { 110: 'photoshop:Credit', 115: 'photoshop:Source' },
    dropped: NOT_IN_GIF,
  },
  licence: {
    title: 'Licence and terms of use',
    xmp: [
      text('xmpRights:WebStatement'),
      alt('xmpRights:UsageTerms'),
      {
        name: 'plus:Licensor',
        form: 'structs-seq',
        fields: ['plus:LicensorName', 'plus:LicensorID', 'plus:LicensorURL'],
      },
      text('cc:license'),
    ],
    dropped: NOT_IN_GIF,
  },
  data_mining: {
    title: 'Permission of data mining',
    xmp: [
      text('plus:DataMining'),
      alt('plus:OtherConstraints'),
      ...(['EmbdEncRightsExpr', 'LinkedEncRightsExpr'] as const).map(
        (name): XmpProperty => ({
          name: `Iptc4xmpExt:${name}`,
          form: 'structs-bag',
          fields: ['EncRightsExpr', 'LinkedRightsExpr', 'RightsExprEncType', 'RightsExprLangId'].map(
            (field) => `Iptc4xmpExt:${field}`,
          ),
        }),
      ),
    ],
    dropped: NOT_IN_GIF,
  },
  digital_source: {
    title: 'Digital source type (the mark of made and AI pictures)',
    xmp: [text('Iptc4xmpExt:DigitalSourceType')],
    dropped: NOT_IN_GIF,
  },
  ai: {
    title: 'AI fields (IPTC 2025.1)',
    note: 'System, its version, prompt and the name of its writer.',
    xmp: [
      ...texts('Iptc4xmpExt:AISystemUsed', 'Iptc4xmpExt:AISystemVersionUsed'),
      ...[alt('Iptc4xmpExt:AIPromptInformation'), text('Iptc4xmpExt:AIPromptWriterName')],
    ],
    dropped: NOT_IN_GIF,
  },
  camera: {
    title: 'Camera, lens and exposure',
    exif: CAMERA_TAGS,
    xmp: [
      ...texts('tiff:Make', 'tiff:Model', 'aux:Lens', 'aux:LensInfo', 'exifEX:LensMake', 'exifEX:LensModel'),
      ...texts('exif:ExposureTime', 'exif:FNumber', 'exif:ExposureProgram', 'exif:ExposureBiasValue'),
      ...texts('exif:MeteringMode', 'exif:FocalLength', 'exif:FocalLengthIn35mmFilm', 'exif:WhiteBalance'),
      ...[seq('exif:ISOSpeedRatings'), text('exif:ApertureValue'), text('exif:ShutterSpeedValue')],
    ],
    dropped: NO_EXIF,
  },
  dates: {
    title: 'Dates',
    exif: DATE_TAGS,
    xmp: texts('exif:DateTimeOriginal', 'exif:DateTimeDigitized', 'photoshop:DateCreated', 'xmp:CreateDate'),
    iptc: { 55: 'photoshop:DateCreated', 60: null },
    dropped: NO_EXIF,
  },
  rating: { title: 'Rating', exif: [exifTag(EXIF.rating)], xmp: texts('xmp:Rating', 'xmp:Label'), dropped: NO_EXIF },
  keywords: {
    title: 'Keywords',
    note: 'Tags of the image replace them with `embedMetadata`.',
    xmp: [bag('dc:subject')],
    iptc: { 25: 'dc:subject' },
    dropped: NOT_IN_GIF,
  },
  texts: {
    title: 'Title, description, alternative text and their writer',
    note: 'Read for the texts of the image; written with `embedMetadata`, not copied.',
    exif: [exifTag(EXIF.description)],
    xmp: [
      ...[alt('dc:title'), alt('dc:description'), text('photoshop:Headline')],
      ...[alt('Iptc4xmpCore:AltTextAccessibility'), alt('Iptc4xmpCore:ExtDescrAccessibility')],
      text('photoshop:CaptionWriter'),
    ],
    iptc: { 5: null, 105: null, 120: null, 122: null },
    png: ['Title', 'Description'],
    dropped: EVERYWHERE,
  },
  place: {
    title: 'Place: GPS, city, country',
    exif: [exifTag(EXIF.gps)],
    xmp: [
      ...texts('exif:GPSLatitude', 'exif:GPSLongitude', 'exif:GPSAltitude', 'photoshop:City', 'photoshop:State'),
      ...texts('photoshop:Country', 'Iptc4xmpCore:Location', 'Iptc4xmpCore:CountryCode'),
      ...[bag('Iptc4xmpExt:LocationShown'), bag('Iptc4xmpExt:LocationCreated')],
    ],
    iptc: { 90: null, 92: null, 95: null, 100: null, 101: null },
    png: ['Location'],
    dropped: EVERYWHERE,
  },
  serial_numbers: {
    title: 'Serial numbers and identifiers of camera, lens and file',
    exif: [exifTag(EXIF.bodySerial), exifTag(EXIF.lensSerial), exifTag(EXIF.imageId), exifTag(EXIF.makerNote)],
    xmp: [
      ...texts('aux:SerialNumber', 'aux:LensSerialNumber', 'exifEX:BodySerialNumber', 'exifEX:LensSerialNumber'),
      ...texts('exif:ImageUniqueID', 'xmpMM:DocumentID', 'xmpMM:InstanceID', 'xmpMM:OriginalDocumentID'),
    ],
    dropped: EVERYWHERE,
  },
  owner: {
    title: 'Owner of the camera, and contact data',
    exif: [exifTag(EXIF.cameraOwner), exifTag(EXIF.hostComputer)],
    xmp: [
      ...texts('aux:OwnerName', 'exifEX:CameraOwnerName', 'Iptc4xmpCore:CreatorContactInfo'),
      bag('xmpRights:Owner'),
    ],
    iptc: { 118: null },
    dropped: EVERYWHERE,
  },
  people: {
    title: 'Names of people',
    xmp: [
      ...[bag('Iptc4xmpExt:PersonInImage'), bag('Iptc4xmpExt:PersonInImageWDetails')],
      ...texts('mwg-rs:Regions', 'MP:RegionInfo'),
    ],
    dropped: EVERYWHERE,
  },
  thumbnail: {
    title: 'Thumbnail',
    note: 'It may show what was cropped away.',
    xmp: [bag('xmp:Thumbnails')],
    dropped: EVERYWHERE,
  },
  software: {
    title: 'Software and history',
    exif: [exifTag(EXIF.software)],
    xmp: [...texts('xmp:CreatorTool', 'tiff:Software'), seq('xmpMM:History')],
    png: ['Software'],
    dropped: EVERYWHERE,
  },
  comment: {
    title: 'Comments',
    exif: [exifTag(EXIF.userComment)],
    xmp: [alt('exif:UserComment')],
    iptc: { 40: null },
    png: ['Comment', 'Disclaimer', 'Warning', 'comment'],
    dropped: EVERYWHERE,
  },
  orientation: {
    title: 'Orientation',
    note: 'Applied to the pixels; a file that is not encoded again keeps its tag.',
    exif: [exifTag(EXIF.orientation)],
    xmp: texts('tiff:Orientation'),
    dropped: EVERYWHERE,
  },
  resolution: {
    title: 'Resolution (dpi)',
    note: 'It would be wrong for a width. A file that is not encoded again keeps that of its container.',
    exif: [exifTag(EXIF.xResolution), exifTag(EXIF.yResolution), exifTag(EXIF.resolutionUnit)],
    xmp: texts('tiff:XResolution', 'tiff:YResolution'),
    dropped: EVERYWHERE,
  },
  content_credentials: {
    title: 'Content credentials (C2PA)',
    note:
      'They sign the file as it is. A file that has nothing private, not inside them either, and is not encoded again keeps them. With `CONTENT_CREDENTIALS=sign` ' +
      'JPEG, PNG, WebP and AVIF get a new signature, see [Content credentials](content-credentials.md).',
    dropped: every('content_credentials_dropped'),
  },
  gain_map: {
    title: 'Gain map of an HDR photograph',
    note:
      "Scaled and cropped with the photograph, encoded with the quality of the preset. Apple's older map and that of an AVIF are dropped from " +
      'every file that is encoded, with `hdr_dropped`.',
    dropped: {
      ...{ png: 'hdr_dropped', webp: 'hdr_dropped', avif: 'hdr_dropped' },
      ...{ tiff: 'hdr_dropped', gif: 'hdr_dropped' },
    },
  },
  icc_profile: {
    title: 'Colour profile, wide gamut',
    note: 'Colours are converted to sRGB, which every output means. A file that is not encoded again keeps its profile.',
    dropped: every('colour_converted'),
  },
  depth: {
    title: 'More than 8 bits a channel',
    dropped: every('depth_reduced'),
  },
  alpha: { title: 'Transparency', dropped: { jpeg: 'alpha_flattened' } },
  animation: {
    title: 'Frames and their timing',
    dropped: { jpeg: 'animation_dropped', png: 'animation_dropped', avif: 'animation_dropped' },
  },
  pages: { title: 'Further pages', dropped: every('pages_dropped') },
} as const satisfies Record<InformationKind, LedgerRow>;

/** Outcome of a kind of information: kept, removed, or dropped with a warning. */
export type Fate = 'kept' | 'removed' | WarningCode;

/** Returns what becomes of a kind when the pixels are encoded: kept, removed on purpose, or dropped with this warning. */
export function fateOf(kind: InformationKind, format: EncodedFormat, level: MetadataLevel): Fate {
  if (!isKeptBy(kind, level)) return 'removed';
  const { dropped }: LedgerRow = LEDGER[kind];
  return dropped[format] ?? 'kept';
}

/** True if a setting of `metadata` keeps the kind where the format can hold it. */
function isKeptBy(kind: InformationKind, level: MetadataLevel): boolean {
  const keeper = INFORMATION[kind];
  if (keeper === 'always') return true;
  if (keeper === 'never') return false;
  return METADATA_LEVELS.indexOf(level) >= METADATA_LEVELS.indexOf(keeper);
}

/** Every kind, in the order of the table. */
export const KINDS = Object.keys(LEDGER) as InformationKind[];

/** Returns the row of a kind. */
export function rowOf(kind: InformationKind): LedgerRow {
  return LEDGER[kind];
}
