import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Document, deserialize, serialize } from 'bson';
import { createFramer } from '../../../server/db/embedded/wire.ts';
import { type Fault, isOwn, refusal, type Seen, withWriteConcernError } from './faults.ts';
import { type Message, readMessage, writeMessage } from './message.ts';

const OP_REPLY_BODY_AT = 36;
const NOT_WRITABLE_PRIMARY = 10107;
const NOT_PRIMARY_NO_SECONDARY_OK = 13435;
const READS = new Set(['find', 'getMore', 'aggregate', 'count', 'distinct', 'listIndexes', 'listCollections']);

/** State that the members of a set share. */
export interface SetState {
  /** Path of the embedded store's socket. */
  store: string;
  isPrimary(member: number): boolean;
  /** Fields that a member adds to its hello. */
  hello(member: number): Document;
  /** Fields that replace those of the store's `buildInfo`. */
  buildInfo: Document;
  /** Changes the answer of the store to a command. */
  answer(command: string, reply: Document): Document;
  takeFault(command: string, collection: string): Fault | undefined;
  seen: Seen[];
  /** Answers of writes that a driver may repeat, by session and transaction number. */
  answers: Map<string, Promise<Document>>;
}

/** A member of the set: an address of its own before the common store. */
export interface Member {
  address: string;
  /** Ends all connections and accepts none until {@link Member.revive}. */
  kill(): void;
  revive(): void;
  close(): Promise<void>;
}

/** Starts a member on a free port. */
export async function startMember(index: number, state: SetState): Promise<Member> {
  const sockets = new Set<Socket>();
  let isDown = false;
  const server: Server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    if (isDown) return void socket.destroy();
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serve(index, socket, state);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const kill = () => {
    isDown = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `127.0.0.1:${port}`,
    kill,
    revive() {
      isDown = false;
    },
    async close() {
      kill();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Answers the commands of one connection in their order. The one that runs when the connection ends is run to its end. */
function serve(member: number, socket: Socket, state: SetState): void {
  const { ask, end } = openStore(state.store);
  const frame = createFramer();
  let turn: Promise<void> = Promise.resolve();
  socket.on('close', () => void turn.then(end));
  socket.on('data', (chunk) => {
    for (const bytes of frame(chunk)) {
      turn = turn
        .then(async () => {
          if (socket.destroyed) return;
          const reply = await answer(member, bytes, state, ask);
          if (reply && !socket.destroyed) socket.write(reply);
          if (!reply) socket.destroy();
        })
        .catch(() => void socket.destroy());
    }
  });
}

/** Opens a connection to the store. `ask` sends one message and resolves with the reply. */
function openStore(path: string) {
  const store = connect(path);
  const frame = createFramer();
  const waiting: { resolve(reply: Buffer): void; reject(error: Error): void }[] = [];
  store.on('data', (chunk) => {
    for (const reply of frame(chunk)) waiting.shift()?.resolve(reply);
  });
  store.on('error', () => {});
  store.on('close', () => {
    for (const { reject } of waiting.splice(0)) reject(new Error('the store closed the connection'));
  });
  return {
    ask: (bytes: Buffer) =>
      new Promise<Buffer>((resolve, reject) => {
        waiting.push({ resolve, reject });
        store.write(bytes);
      }),
    end: () => store.destroy(),
  };
}

type Ask = (bytes: Buffer) => Promise<Buffer>;

/** Answers one message as the member would; null ends the connection. */
async function answer(member: number, bytes: Buffer, state: SetState, ask: Ask): Promise<Buffer | null> {
  const message = readMessage(bytes);
  if (!message) return legacyHello(await ask(bytes), state.hello(member));
  const name = Object.keys(message.command)[0] ?? '';
  const reply = await replyTo(name, member, message, state, ask);
  return reply && writeMessage({ requestId: 0, responseTo: message.requestId, command: reply, rest: Buffer.alloc(0) });
}

async function replyTo(
  name: string,
  member: number,
  message: Message,
  state: SetState,
  ask: Ask,
): Promise<Document | null> {
  const { command } = message;
  const collection = collectionOf(name, command);
  const key = transactionKey(command);
  const fault = state.takeFault(name, collection);
  const { writeConcern, readConcern } = command;
  const isRepeated = key !== null && state.answers.has(key);
  const isRetryable = key !== null;
  if (!isOwn(name))
    state.seen.push({
      command: name,
      collection,
      isRetryable,
      isRepeated,
      writeConcern: writeConcern as Document | undefined,
      readConcern: readConcern as Document | undefined,
      fault: fault?.kind,
    });
  if (!isOwn(name) && !state.isPrimary(member)) {
    const code = READS.has(name) ? NOT_PRIMARY_NO_SECONDARY_OK : NOT_WRITABLE_PRIMARY;
    return refusal({ kind: 'error', code }, isRetryable);
  }
  if (fault?.kind === 'error') return refusal(fault, isRetryable);
  if (fault?.kind === 'cut' && fault.when === 'before') return null;
  const reply = await once(key, state.answers, async () => {
    if (fault?.kind === 'delay') await sleep(fault.ms);
    return state.answer(name, await run(message, ask));
  });
  if (fault?.kind === 'cut') return null;
  if (fault?.kind === 'write-concern-error') return withWriteConcernError(reply, fault.code, isRetryable);
  if (name === 'hello' || name.toLowerCase() === 'ismaster') return { ...reply, ...state.hello(member) };
  return name === 'buildInfo' ? { ...reply, ...state.buildInfo } : reply;
}

/** Runs a write once: a repetition, also one that comes before the answer, gets the same answer. A failed one is forgotten. */
async function once(key: string | null, answers: SetState['answers'], run: () => Promise<Document>): Promise<Document> {
  if (key === null) return run();
  const reply = answers.get(key) ?? run();
  answers.set(key, reply);
  const isKept = await reply.then(({ ok }) => Boolean(ok)).catch(() => false);
  if (!isKept) answers.delete(key);
  return reply;
}

/** Runs a command in the store, which knows no transaction numbers. */
async function run(message: Message, ask: Ask): Promise<Document> {
  const { txnNumber: _, ...command } = message.command;
  const reply = readMessage(await ask(writeMessage({ ...message, command })));
  return reply?.command ?? {};
}

function collectionOf(name: string, command: Document): string {
  const value: unknown = name === 'getMore' ? command.collection : command[name];
  return typeof value === 'string' ? value : '';
}

/** Identifies a write that a driver may repeat; null for any other command. */
function transactionKey({ lsid, txnNumber }: Document): string | null {
  if (txnNumber === undefined) return null;
  return `${(lsid as { id: { toString(encoding: string): string } }).id.toString('hex')}:${String(txnNumber)}`;
}

/** Adds fields to the OP_REPLY of a driver's first handshake. */
function legacyHello(reply: Buffer, fields: Document): Buffer {
  const document = deserialize(reply.subarray(OP_REPLY_BODY_AT), { promoteValues: false });
  const head = Buffer.from(reply.subarray(0, OP_REPLY_BODY_AT));
  const body = serialize({ ...document, ...fields });
  head.writeInt32LE(head.length + body.length, 0);
  return Buffer.concat([head, body]);
}
