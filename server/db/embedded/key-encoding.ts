import { Binary, BSONRegExp, Decimal128, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import { type Doc, isDocument } from './bson-codec.ts';
import { notSupported } from './errors.ts';

// MongoDB's order of types. Tags leave room for "the next tag" and stay below 0x80, so that neither a tag
// nor an inverted tag is ever 0xff: appending 0xff to an encoded value passes everything that starts with it.
const TAG = {
  min: 1,
  emptyArray: 4,
  null: 6,
  number: 10,
  string: 20,
  object: 30,
  array: 40,
  binary: 50,
  objectId: 60,
  boolean: 70,
  date: 80,
  timestamp: 90,
  regex: 100,
  max: 110,
};

/** Returns the rank of a value's type. */
export function typeTag(value: unknown): number {
  if (value === null || value === undefined) return TAG.null;
  if (typeof value === 'number' || typeof value === 'bigint') return TAG.number;
  if (typeof value === 'string') return TAG.string;
  if (typeof value === 'boolean') return TAG.boolean;
  if (value instanceof ObjectId) return TAG.objectId;
  if (value instanceof Date) return TAG.date;
  if (Array.isArray(value)) return TAG.array;
  if (isDocument(value)) return TAG.object;
  if (value instanceof Timestamp) return TAG.timestamp;
  if (value instanceof Long || value instanceof Decimal128) return TAG.number;
  if (value instanceof Binary) return TAG.binary;
  if (value instanceof BSONRegExp) return TAG.regex;
  if (value instanceof MinKey) return TAG.min;
  if (value instanceof MaxKey) return TAG.max;
  throw notSupported(`comparing a value of BSON type ${value.constructor?.name}`);
}

/** Encodes values so that the order of the bytes is MongoDB's order of the values. */
export class KeyWriter {
  private bytes = Buffer.allocUnsafe(128);
  private length = 0;

  /** Appends bytes as they are. */
  raw(bytes: Uint8Array): this {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
    return this;
  }

  /** Appends one self-delimiting value. */
  value(value: unknown): this {
    this.tagged(value, typeTag(value));
    return this;
  }

  /** Returns the bytes written so far. */
  finish(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  private reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.length + count));
    this.bytes.copy(grown, 0, 0, this.length);
    this.bytes = grown;
  }

  private byte(byte: number): void {
    this.reserve(1);
    this.bytes[this.length++] = byte;
  }

  private tagged(value: unknown, tag: number): void {
    this.byte(tag);
    if (tag === TAG.number) this.number(value as number | Long);
    else if (tag === TAG.date) this.double((value as Date).getTime());
    else if (tag === TAG.string) this.text(value as string);
    else if (tag === TAG.objectId) this.raw((value as ObjectId).id);
    else if (tag === TAG.boolean) this.byte(value ? 1 : 0);
    else if (tag === TAG.object) this.fields(value as Doc);
    else if (tag === TAG.array) {
      for (const item of value as unknown[]) this.tagged(item, typeTag(item));
      this.byte(0);
    } else if (tag === TAG.binary) {
      const { sub_type, position, buffer } = value as Binary;
      this.uint32(position);
      this.byte(sub_type);
      this.raw(buffer.subarray(0, position));
    } else if (tag === TAG.timestamp) {
      this.uint32((value as Timestamp).getHighBitsUnsigned());
      this.uint32((value as Timestamp).getLowBitsUnsigned());
    } else if (tag === TAG.regex) {
      this.text((value as BSONRegExp).pattern);
      this.text((value as BSONRegExp).options);
    }
  }

  private fields(doc: Doc): void {
    for (const [name, value] of Object.entries(doc)) {
      if (value === undefined) continue;
      const tag = typeTag(value);
      this.byte(tag);
      this.text(name);
      this.tagged(value, tag);
    }
    this.byte(0);
  }

  // An int64 beyond 2^53 is its nearest double plus the (at most 10 bit) remainder.
  private number(value: number | bigint | Long | Decimal128): void {
    const double = Number(typeof value === 'object' ? value.toString() : value);
    this.double(double);
    const remainder = value instanceof Long ? Number(value.toBigInt() - BigInt(double)) : 0;
    this.byte((remainder + 0x8000) >> 8);
    this.byte((remainder + 0x8000) & 0xff);
  }

  private double(value: number): void {
    this.reserve(8);
    const at = this.length;
    if (Number.isNaN(value)) this.bytes.fill(0, at, at + 8);
    else {
      this.bytes.writeDoubleBE(value === 0 ? 0 : value, at);
      if (value < 0) for (let i = at; i < at + 8; i++) this.bytes[i] = ~(this.bytes[i] as number);
      else this.bytes[at] = (this.bytes[at] as number) | 0x80;
    }
    this.length += 8;
  }

  private uint32(value: number): void {
    this.reserve(4);
    this.length = this.bytes.writeUInt32BE(value >>> 0, this.length);
  }

  private text(text: string): void {
    let from = 0;
    for (let zero = text.indexOf('\0'); zero >= 0; zero = text.indexOf('\0', from)) {
      this.raw(Buffer.from(text.slice(from, zero)));
      this.raw(Buffer.from([0, 0xff]));
      from = zero + 1;
    }
    const tail = from === 0 ? text : text.slice(from);
    this.reserve(tail.length * 3 + 2);
    this.length += this.bytes.write(tail, this.length);
    this.byte(0);
    this.byte(0);
  }
}

/** Encodes one value as order-preserving bytes. */
export function encodeValue(value: unknown): Buffer {
  return new KeyWriter().value(value).finish();
}

/** Encoding of an empty array, which sorts before null. */
export function encodeEmptyArray(): Buffer {
  return Buffer.from([TAG.emptyArray]);
}

/** Compares two values in MongoDB's order, across types. */
export function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number' && !Number.isNaN(a - b)) return a < b ? -1 : a > b ? 1 : 0;
  const difference = typeTag(a) - typeTag(b);
  return difference !== 0 ? difference : Buffer.compare(encodeValue(a), encodeValue(b));
}

/** Tests two values for equality by MongoDB's rules: 1 equals 1n, field order matters. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a === 'string' || typeof a === 'number' || typeof a === 'boolean') {
    if (typeof b === typeof a) return Number.isNaN(a) && Number.isNaN(b);
    if (typeof b !== 'object') return false;
  }
  if (a instanceof ObjectId && b instanceof ObjectId) return a.equals(b);
  return compareValues(a, b) === 0;
}
