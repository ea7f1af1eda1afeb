import { decode } from 'cborg';
import type { InputFormat } from '#contract';
import type { InformationKind } from '#contract/constants';
import { KINDS, rowOf } from '../../shared/ledger.ts';
import { credentialBoxes } from '../containers/credentials.ts';
import { readSuperboxes, type Superbox } from '../containers/jumbf.ts';
import { isPublicAssertion } from '../signing/public-assertions.ts';

/** Private information inside the content credentials of a file. */
export interface CredentialContent {
  /** True if a file with them must not leave: something in them is private, or is not known to be public. */
  isPrivate: boolean;
  /** Kinds that they name or show. */
  kinds: InformationKind[];
}

/** Kinds that are private wherever they stand. Software is named in each manifest. */
const PRIVATE_KINDS: readonly InformationKind[] = ['place', 'serial_numbers', 'owner', 'people', 'thumbnail'];

/** Names of identifiers that credentials have themselves. */
const OWN_NAMES = new Set(['instanceid', 'documentid']);
/** Local names of the private XMP properties, with their kinds. */
const KIND_BY_NAME = new Map(
  PRIVATE_KINDS.flatMap((kind) =>
    (rowOf(kind).xmp ?? []).map(({ name }: { name: string }): [string, InformationKind] => [localName(name), kind]),
  ).filter(([name]) => !OWN_NAMES.has(name)),
);
/** Words in names that tell of a kind whose property the ledger does not list. */
const NAMES: readonly Word[] = [
  [/gps|latitude|longitude|altitude|location|geo(?:coordinates|hash|json)|spatialcoverage|postaladdress/i, 'place'],
  [/serial.?number/i, 'serial_numbers'],
  [/ownername|telephone|^email$|^address$/i, 'owner'],
];
/** Words in texts and bytes. */
const TEXTS: readonly Word[] = [
  [/gps(?:latitude|longitude|altitude|position|info)|latitude|longitude/i, 'place'],
  [/serial.?number/i, 'serial_numbers'],
];
type Word = [pattern: RegExp, kind: InformationKind];
/** Beginnings of pictures: JPEG, PNG, RIFF, GIF, and the box of HEIF. */
const PICTURE = /^(?:\xff\xd8\xff|\x89PNG|RIFF|GIF8|....ftyp)/s;

/** Reads what content credentials say beside who made the file and what was done with it. Whatever is not understood counts as private. */
export function readCredentialContent(format: InputFormat, file: Buffer): CredentialContent {
  const boxes = credentialBoxes(format, file);
  const found: Found = { kinds: new Set(), isPrivate: boxes === null };
  for (const box of boxes ?? []) {
    try {
      for (const store of readSuperboxes(box)) readStore(store, found);
    } catch {
      // No JUMBF, or no CBOR or JSON in it.
      found.isPrivate = true;
      noteBytes(box, found);
    }
  }
  return { isPrivate: found.isPrivate || found.kinds.size > 0, kinds: KINDS.filter((kind) => found.kinds.has(kind)) };
}

/** Returns true if the data of an assertion tell something private. */
export function tellsPrivate(data: unknown): boolean {
  const found: Found = { kinds: new Set(), isPrivate: false };
  note(data, found);
  return found.kinds.size > 0;
}

interface Found {
  kinds: Set<InformationKind>;
  isPrivate: boolean;
}

function readStore({ label, children, contents }: Superbox, found: Found): void {
  if (label !== 'c2pa' || contents.length > 0) found.isPrivate = true;
  for (const manifest of children) {
    if (manifest.contents.length > 0) found.isPrivate = true;
    for (const part of manifest.children) readPart(part, found);
  }
}

/** Reads a part of a manifest: its assertions, its claim or its signature. Others hold data of whoever wrote them. */
function readPart(part: Superbox, found: Found): void {
  if (part.label === 'c2pa.assertions') {
    if (part.contents.length > 0) found.isPrivate = true;
    for (const assertion of part.children) readAssertion(assertion, found);
  } else if (/^c2pa\.claim(?:\.v2)?$/.test(part.label)) readContents(part, found);
  else if (part.label !== 'c2pa.signature' || part.children.length > 0) {
    found.isPrivate = true;
    readContents(part, found);
  }
}

function readAssertion(assertion: Superbox, found: Found): void {
  if (isRedacted(assertion)) return;
  if (!isPublicAssertion(assertion.label)) found.isPrivate = true;
  if (assertion.label.startsWith('c2pa.thumbnail')) found.kinds.add('thumbnail');
  readContents(assertion, found);
}

/** Returns true for an assertion whose bytes are zeros. */
function isRedacted({ children, contents }: Superbox): boolean {
  return children.length === 0 && contents.every(({ data }) => data.every((byte) => byte === 0));
}

function readContents({ children, contents }: Superbox, found: Found): void {
  if (children.length > 0) found.isPrivate = true;
  for (const child of children) readContents(child, found);
  for (const { type, data } of contents) {
    if (type === 'cbor') note(decode(data, { useMaps: true, tags: TAGS }), found);
    else if (type === 'json') note(JSON.parse(data.toString('utf8')), found);
    else if (type !== 'free' || data.some((byte) => byte !== 0)) {
      found.isPrivate = true;
      noteBytes(data, found);
    }
  }
}

const asIs = (inner: () => unknown) => inner();
/** Dates as texts and as numbers, and signatures. */
const TAGS = { 0: asIs, 1: asIs, 18: asIs };

/** Notes what names and texts of a value tell. */
function note(value: unknown, found: Found): void {
  if (typeof value === 'string') noteText(value, found);
  else if (value instanceof Uint8Array) noteBytes(Buffer.from(value), found);
  else if (Array.isArray(value)) for (const item of value) note(item, found);
  else if (value instanceof Map) for (const pair of value) note(pair[1], noteName(pair[0], found));
  else if (typeof value === 'object' && value)
    for (const [name, inner] of Object.entries(value)) note(inner, noteName(name, found));
}

function noteName(name: unknown, found: Found): Found {
  const kind = typeof name === 'string' ? KIND_BY_NAME.get(localName(name)) : undefined;
  if (kind) found.kinds.add(kind);
  if (typeof name === 'string') noteText(localName(name), found, NAMES);
  return found;
}

function noteText(text: string, found: Found, words = TEXTS): void {
  for (const [pattern, kind] of words) if (pattern.test(text)) found.kinds.add(kind);
}

function noteBytes(bytes: Buffer, found: Found): void {
  if (PICTURE.test(bytes.toString('latin1', 0, 16))) found.kinds.add('thumbnail');
  noteText(bytes.toString('latin1'), found);
}

function localName(name: string): string {
  return name.slice(Math.max(name.lastIndexOf(':'), name.lastIndexOf('/')) + 1).toLowerCase();
}
