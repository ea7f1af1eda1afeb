import { type Document, deserialize, serialize } from 'bson';

const OP_MSG = 2013;
const HEADER_BYTES = 16;
const CHECKSUM_PRESENT = 1;

/** Section 0 of an OP_MSG, and the sequences of documents after it as they came. */
export interface Message {
  requestId: number;
  responseTo: number;
  command: Document;
  /** Sections of kind 1, unread. */
  rest: Buffer;
}

/** Reads an OP_MSG; null for any other message, as the OP_QUERY of a driver's first handshake. */
export function readMessage(bytes: Buffer): Message | null {
  if (bytes.readInt32LE(12) !== OP_MSG) return null;
  const end = bytes.length - (bytes.readUInt32LE(HEADER_BYTES) & CHECKSUM_PRESENT ? 4 : 0);
  const bodyAt = HEADER_BYTES + 5;
  if (bytes[bodyAt - 1] !== 0) throw new Error('expected section 0 first');
  const bodyEnd = bodyAt + bytes.readInt32LE(bodyAt);
  // Types are kept, so that what is passed on is what came.
  const command = deserialize(bytes.subarray(bodyAt, bodyEnd), { promoteValues: false });
  const rest = bytes.subarray(bodyEnd, end);
  return { requestId: bytes.readInt32LE(4), responseTo: bytes.readInt32LE(8), command, rest };
}

/** Encodes an OP_MSG without flags. */
export function writeMessage({ requestId, responseTo, command, rest }: Message): Buffer {
  const body = serialize(command);
  const head = Buffer.alloc(HEADER_BYTES + 5);
  head.writeInt32LE(head.length + body.length + rest.length, 0);
  head.writeInt32LE(requestId, 4);
  head.writeInt32LE(responseTo, 8);
  head.writeInt32LE(OP_MSG, 12);
  return Buffer.concat([head, body, rest]);
}
