/** Namespaces of XMP properties that are read and written, by prefix. */
export const XMP_NAMESPACES = {
  dc: 'http://purl.org/dc/elements/1.1/',
  Iptc4xmpCore: 'http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/',
  Iptc4xmpExt: 'http://iptc.org/std/Iptc4xmpExt/2008-02-29/',
  photoshop: 'http://ns.adobe.com/photoshop/1.0/',
  plus: 'http://ns.useplus.org/ldf/xmp/1.0/',
  xmpRights: 'http://ns.adobe.com/xap/1.0/rights/',
  cc: 'http://creativecommons.org/ns#',
  xmp: 'http://ns.adobe.com/xap/1.0/',
  xmpMM: 'http://ns.adobe.com/xap/1.0/mm/',
  tiff: 'http://ns.adobe.com/tiff/1.0/',
  exif: 'http://ns.adobe.com/exif/1.0/',
  exifEX: 'http://cipa.jp/exif/1.0/',
  aux: 'http://ns.adobe.com/exif/1.0/aux/',
  'mwg-rs': 'http://www.metadataworkinggroup.com/schemas/regions/',
  MP: 'http://ns.microsoft.com/photo/1.2/',
  hdrgm: 'http://ns.adobe.com/hdr-gain-map/1.0/',
  Container: 'http://ns.google.com/photos/1.0/container/',
  Item: 'http://ns.google.com/photos/1.0/container/item/',
} as const;

/** Sources of metadata values. */
export const METADATA_SOURCES = ['ai', 'embedded', 'filename', 'pixels', 'user'] as const;

/** Properties of one field of an image's metadata. Every place that handles fields one by one reads them here. */
interface MetadataFieldRow {
  type: 'text' | 'list' | 'flag';
  /** Longest stored text, of a list its longest entry, in UTF-16 code units; null for a flag. */
  maxLength: number | null;
  /** Most entries of a list; null for other types. */
  maxEntries: number | null;
  /** Longest text taken from a file or a model, in code points; null: not cut. */
  foundLength: number | null;
  /** XMP property that holds it in files; null if it is never embedded under a name of its own. */
  xmp: `${keyof typeof XMP_NAMESPACES}:${string}` | null;
  /** True if it is written into files with `embedMetadata`, so that it decides their bytes. */
  embedded: boolean;
  /** True if export requests and multipart uploads may carry it. */
  inRequests: boolean;
  /** Longest text an export request may carry, in UTF-16 code units; null if `inRequests` is false. */
  exportLength: number | null;
  /** True if it is a text about the image: an analysis that finds one also sets the language. */
  describes: boolean;
  /** True if an image can have it in several languages. */
  byLanguage: boolean;
  /** Description in the API documents; null if the name says it all. */
  doc: string | null;
}

/** Longest stored texts of the fields that reviews edit, in UTF-16 code units. Apart, since browsers load only these. */
export const TEXT_LENGTHS = { filename: 255, title: 500, alt: 1000 } as const;

/** The fields of an image's metadata that have a source and that a person can edit. */
export const METADATA_FIELDS = {
  filename: {
    type: 'text',
    maxLength: TEXT_LENGTHS.filename,
    maxEntries: null,
    foundLength: null,
    xmp: null,
    embedded: false,
    inRequests: true,
    exportLength: 1024,
    describes: true,
    byLanguage: false,
    doc: 'Basename of the output file, without extension.',
  },
  title: {
    type: 'text',
    maxLength: TEXT_LENGTHS.title,
    maxEntries: null,
    foundLength: 120,
    xmp: 'dc:title',
    embedded: true,
    inRequests: true,
    exportLength: 2000,
    describes: true,
    byLanguage: true,
    doc: null,
  },
  alt: {
    type: 'text',
    maxLength: TEXT_LENGTHS.alt,
    maxEntries: null,
    foundLength: 250,
    xmp: 'Iptc4xmpCore:AltTextAccessibility',
    embedded: true,
    inRequests: true,
    exportLength: 2000,
    describes: true,
    byLanguage: true,
    doc: 'Alternative text; `null`: unknown, `""` with `decorative`: none needed.',
  },
  caption: {
    type: 'text',
    maxLength: 2000,
    maxEntries: null,
    foundLength: 500,
    xmp: 'dc:description',
    embedded: true,
    inRequests: false,
    exportLength: null,
    describes: true,
    byLanguage: true,
    doc: null,
  },
  tags: {
    type: 'list',
    maxLength: 100,
    maxEntries: 50,
    foundLength: 40,
    xmp: 'dc:subject',
    embedded: true,
    inRequests: false,
    exportLength: null,
    describes: true,
    byLanguage: true,
    doc: null,
  },
  language: {
    type: 'text',
    maxLength: 35,
    maxEntries: null,
    foundLength: null,
    xmp: null,
    embedded: true,
    inRequests: false,
    exportLength: null,
    describes: false,
    byLanguage: false,
    doc: 'BCP 47.',
  },
  decorative: {
    type: 'flag',
    maxLength: null,
    maxEntries: null,
    foundLength: null,
    xmp: null,
    embedded: false,
    inRequests: false,
    exportLength: null,
    describes: false,
    byLanguage: false,
    doc: null,
  },
} as const satisfies Record<string, MetadataFieldRow>;

type Fields = typeof METADATA_FIELDS;
type FieldsWith<Property extends keyof MetadataFieldRow> = {
  [Name in keyof Fields]: Fields[Name][Property] extends true ? Name : never;
}[keyof Fields];

/** A field of an image's metadata. */
export type MetadataField = keyof Fields;
/** A field that is written into files. */
export type EmbeddedField = FieldsWith<'embedded'>;
/** A field that export requests and uploads may carry. */
export type RequestField = FieldsWith<'inRequests'>;

/** A field that is a text about the image. */
export type DescribingField = FieldsWith<'describes'>;

/** A field that an image can have in several languages. */
export type LanguageField = FieldsWith<'byLanguage'>;

/** A field that is found in files under an XMP property. */
export type XmpField = { [Name in MetadataField]: Fields[Name]['xmp'] extends string ? Name : never }[MetadataField];

/** Every field, in the order of the table. */
export const METADATA_FIELD_NAMES = /* @__PURE__ */ Object.keys(METADATA_FIELDS) as MetadataField[];
/** The fields that are written into files. */
export const EMBEDDED_FIELDS = /* @__PURE__ */ METADATA_FIELD_NAMES.filter(
  (name): name is EmbeddedField => METADATA_FIELDS[name].embedded,
);

/** The fields that are found in files under an XMP property. */
export const XMP_FIELDS = /* @__PURE__ */ METADATA_FIELD_NAMES.filter(
  (name): name is XmpField => METADATA_FIELDS[name].xmp !== null,
);

interface ValueTypes {
  text: string | null;
  list: string[];
  flag: boolean;
}
/** Values of an image's metadata fields: null is an unknown text. */
export type MetadataValues = { [Name in MetadataField]: ValueTypes[Fields[Name]['type']] };
/** Texts that are written into a file. */
export type EmbeddedTexts = { [Name in EmbeddedField]?: MetadataValues[Name] | undefined } & {
  /** Vision model that wrote at least one of the texts. */
  writer?: string | undefined;
};
/** The fields that export requests and uploads may carry. */
export const REQUEST_FIELDS = /* @__PURE__ */ METADATA_FIELD_NAMES.filter(
  (name): name is RequestField => METADATA_FIELDS[name].inRequests,
);
/** The fields that are texts about the image. */
export const DESCRIBING_FIELDS = /* @__PURE__ */ METADATA_FIELD_NAMES.filter(
  (name): name is DescribingField => METADATA_FIELDS[name].describes,
);
/** The fields that an image can have in several languages. */
export const LANGUAGE_FIELDS = /* @__PURE__ */ METADATA_FIELD_NAMES.filter(
  (name): name is LanguageField => METADATA_FIELDS[name].byLanguage,
);

/** Returns the named fields of an object. */
export function pickFields<Values extends object, Name extends keyof Values>(
  values: Values,
  names: readonly Name[],
): Pick<Values, Name> {
  return Object.fromEntries(names.map((name) => [name, values[name]])) as Pick<Values, Name>;
}

const EMPTY_VALUES = { text: null, list: [], flag: false } as const;

/** Returns the value of every field of which nothing is known. Lists are new with each call. */
export function emptyMetadataValues(): MetadataValues {
  const value = (name: MetadataField) => {
    const empty = EMPTY_VALUES[METADATA_FIELDS[name].type];
    return Array.isArray(empty) ? [...empty] : empty;
  };
  return Object.fromEntries(METADATA_FIELD_NAMES.map((name) => [name, value(name)])) as MetadataValues;
}
