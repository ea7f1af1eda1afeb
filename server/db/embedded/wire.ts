import { type Doc, decode, encode, firstFieldName } from './bson-codec.ts';

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER_BYTES = 16;
const CHECKSUM_PRESENT = 1;
const MORE_TO_COME = 2;

/** The longest message, as announced in hello. */
export const MAX_MESSAGE_BYTES = 48_000_000;

/** One request of MongoDB's wire protocol. */
export interface Request {
  requestId: number;
  /** The command; documents of an insert stay BSON. */
  command: Doc;
  name: string;
  /** True for the legacy OP_QUERY of a driver's handshake, which needs an OP_REPLY. */
  legacy: boolean;
  /** True if the client expects a reply. */
  wantsReply: boolean;
}

/** Splits a byte stream into messages. @throws Error if it does not follow the protocol */
export function createFramer(): (chunk: Buffer) => Buffer[] {
  let chunks: Buffer[] = [];
  let size = 0;
  return (chunk) => {
    chunks.push(chunk);
    size += chunk.length;
    const messages: Buffer[] = [];
    while (size >= 4) {
      if ((chunks[0] as Buffer).length < 4) chunks = [Buffer.concat(chunks)];
      const length = (chunks[0] as Buffer).readInt32LE();
      if (length < HEADER_BYTES || length > MAX_MESSAGE_BYTES) throw new Error(`message of ${length} bytes`);
      if (size < length) break;
      const all = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      messages.push(all.subarray(0, length));
      chunks = [all.subarray(length)];
      size -= length;
    }
    return messages;
  };
}

/** Reads one message. @throws Error for an unknown kind of message */
export function parseRequest(message: Buffer): Request {
  const requestId = message.readInt32LE(4);
  const opCode = message.readInt32LE(12);
  if (opCode === OP_MSG) return parseMsg(message, requestId);
  if (opCode !== OP_QUERY) throw new Error(`message kind ${opCode} is not supported by the embedded store`);
  const nsEnd = message.indexOf(0, HEADER_BYTES + 4);
  const body = message.subarray(nsEnd + 9);
  const name = firstFieldName(body);
  const database = message.toString('utf8', HEADER_BYTES + 4, nsEnd).split('.')[0];
  return { requestId, command: { ...decode(body), $db: database }, name, legacy: true, wantsReply: true };
}

// Section 0 is the command; sections of kind 1 are arrays of documents that belong into it.
function parseMsg(message: Buffer, requestId: number): Request {
  const flags = message.readUInt32LE(HEADER_BYTES);
  const end = message.length - (flags & CHECKSUM_PRESENT ? 4 : 0);
  let command: Doc = {};
  let name = '';
  const sequences: [field: string, documents: Buffer[]][] = [];
  for (let at = HEADER_BYTES + 4; at < end; ) {
    const kind = message[at++];
    const section = message.subarray(at, at + message.readInt32LE(at));
    at += section.length;
    if (kind === 0) {
      name = firstFieldName(section);
      command = decode(section, name === 'insert' ? 'documents' : undefined);
      continue;
    }
    const nameEnd = section.indexOf(0, 4);
    sequences.push([section.toString('utf8', 4, nameEnd), splitDocuments(section.subarray(nameEnd + 1))]);
  }
  for (const [field, documents] of sequences)
    command[field] = name === 'insert' ? documents : documents.map((raw) => decode(raw));
  return { requestId, command, name, legacy: false, wantsReply: (flags & MORE_TO_COME) === 0 };
}

function splitDocuments(bytes: Buffer): Buffer[] {
  const documents: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = bytes.readInt32LE(at);
    if (size < 5) throw new Error(`a document of ${size} bytes`);
    documents.push(bytes.subarray(at, at + size));
    at += size;
  }
  return documents;
}

/** Encodes the reply to a request, from a document or from BSON. */
export function encodeReply(request: Request, reply: Doc | Buffer): Buffer {
  const body = Buffer.isBuffer(reply) ? reply : encode(reply);
  const head = Buffer.alloc(request.legacy ? HEADER_BYTES + 20 : HEADER_BYTES + 5);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(request.requestId, 8);
  head.writeInt32LE(request.legacy ? OP_REPLY : OP_MSG, 12);
  if (request.legacy) head.writeInt32LE(1, HEADER_BYTES + 16);
  return Buffer.concat([head, body]);
}
