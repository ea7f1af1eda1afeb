import { deserialize, serialize } from 'bson';

/** A decoded BSON document. */
export type Doc = Record<string, unknown>;

/** Decodes BSON; numbers become JavaScript numbers unless an int64 does not fit. */
export function decode(bytes: Uint8Array, rawArrayField?: string): Doc {
  const fieldsAsRaw = rawArrayField ? { [rawArrayField]: true } : undefined;
  return deserialize(bytes, { bsonRegExp: true, promoteBuffers: false, ...(fieldsAsRaw && { fieldsAsRaw }) });
}

/** Encodes a document as BSON, leaving out undefined fields. */
export function encode(doc: Doc): Buffer {
  const bytes = serialize(doc, { ignoreUndefined: true });
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Tests for an embedded document: neither an array nor a date nor a BSON class. */
export function isDocument(value: unknown): value is Doc {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Reads the name of a BSON document's first field without decoding; '' if it has none. */
export function firstFieldName(bytes: Buffer): string {
  return (bytes[4] ?? 0) === 0 ? '' : bytes.toString('utf8', 5, bytes.indexOf(0, 5));
}

/** Builds `{cursor: {[batchField]: [...], id, ns}, ok: 1}` around documents in BSON. */
export function encodeCursorReply(ns: string, id: bigint, batchField: string, batch: Buffer[]): Buffer {
  const elements = batch.map((raw, position) => element(3, String(position), raw));
  const idBytes = Buffer.alloc(8);
  idBytes.writeBigInt64LE(id);
  const cursor = document([
    element(4, batchField, document(elements)),
    element(0x12, 'id', idBytes),
    encode({ ns }).subarray(4, -1),
  ]);
  return document([element(3, 'cursor', cursor), encode({ ok: 1 }).subarray(4, -1)]);
}

function element(type: number, name: string, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([type]), Buffer.from(`${name}\0`), value]);
}

function document(elements: Buffer[]): Buffer {
  const body = Buffer.concat(elements);
  const bytes = Buffer.allocUnsafe(body.length + 5);
  bytes.writeInt32LE(bytes.length);
  body.copy(bytes, 4);
  bytes[bytes.length - 1] = 0;
  return bytes;
}
