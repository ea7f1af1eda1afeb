import { createServer, type Socket } from 'node:net';
import { administrationCommands } from './administration-commands.ts';
import type { Doc } from './bson-codec.ts';
import type { CommandHandler, Engine } from './engine.ts';
import { CommandError, describeError, notSupported } from './errors.ts';
import { readCommands } from './read-commands.ts';
import { COMMON_FIELDS, refuseUnknownFields, SUPPORTED } from './subset.ts';
import { createFramer, encodeReply, parseRequest, type Request } from './wire.ts';
import { writeCommands } from './write-commands.ts';

/** Time limit for clients to read their last replies when the server closes. */
const FLUSH_MS = 1000;

interface State {
  readonly sockets: Set<Socket>;
  /** Unanswered requests, including those of closed connections, which may still write. */
  readonly running: Set<Promise<void>>;
  readonly engine: Promise<Engine>;
  closing: boolean;
}

/** Creates a server that answers the requests of each connection in order. */
export function createProtocolServer() {
  let start: (engine: Engine) => void = () => {};
  const engine = new Promise<Engine>((resolve) => {
    start = resolve;
  });
  const state: State = { sockets: new Set(), running: new Set(), engine, closing: false };
  const server = createServer((socket) => serveConnection(state, socket));
  server.on('error', () => {});
  return {
    server,
    /** Starts to run commands; until then they wait. */
    serve: (engine: Engine) => start(engine),
    /**
     * Answers the received requests and runs no later ones, then releases the address and closes all connections. The
     * order matters: a process that finds the address dead may serve the directory at once and must find all writes.
     */
    async close(): Promise<void> {
      state.closing = true;
      await Promise.all(state.running);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of state.sockets) socket.end();
      const flushLimit = setTimeout(() => {
        for (const socket of state.sockets) socket.destroy();
      }, FLUSH_MS);
      await closed;
      clearTimeout(flushLimit);
    },
  };
}

function serveConnection(state: State, socket: Socket): void {
  const { sockets, running, engine } = state;
  // The connection itself tells other processes that the directory is served.
  if (state.closing) return void socket.destroy();
  const frame = createFramer();
  let last: Promise<void> = Promise.resolve();
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    if (state.closing) return;
    try {
      for (const message of frame(chunk)) {
        const request = parseRequest(message);
        const replied = engine.then((ready) => runCommand(ready, request));
        const turn = last;
        last = replied.then(async (reply) => {
          await turn;
          if (request.wantsReply && socket.writable) socket.write(encodeReply(request, reply));
        });
        const answered = last.catch(() => void socket.destroy()).finally(() => running.delete(answered));
        running.add(answered);
      }
    } catch {
      socket.destroy();
    }
  });
}

const ALIASES: Record<string, string> = {
  isMaster: 'hello',
  ismaster: 'hello',
  findandmodify: 'findAndModify',
  buildinfo: 'buildInfo',
};

const HANDLERS: Record<string, CommandHandler> = { ...readCommands, ...writeCommands, ...administrationCommands };

/** Runs one request and returns its reply; converts errors to error replies. */
async function runCommand(engine: Engine, request: Request): Promise<Doc | Buffer> {
  try {
    const name = ALIASES[request.name] ?? request.name;
    const handler = Object.hasOwn(HANDLERS, name) ? HANDLERS[name] : undefined;
    if (!handler) throw notSupported(`the command ${request.name}`);
    if (typeof request.command.$db !== 'string') throw new CommandError(73, 'a command needs a database');
    const accepted = `${COMMON_FIELDS} ${SUPPORTED.commands[name as keyof typeof SUPPORTED.commands]}`.split(' ');
    refuseUnknownFields(`${request.name}`, request.command, [request.name, ...accepted]);
    if (request.command.startTransaction || request.command.autocommit === false) throw notSupported('a transaction');
    return await handler(engine, request.command, request.name);
  } catch (error) {
    return { ok: 0, ...describeError(error) };
  }
}
