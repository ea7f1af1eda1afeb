import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

interface DriverConnection {
  socket: Socket;
  writeCommand(command: unknown, options: unknown): Promise<void>;
}

interface DriverInternals {
  Connection?: { prototype: DriverConnection };
}

let patched = false;

/**
 * Patches a defect of the MongoDB driver (seen in 7.8.0): a command written to a socket that was just destroyed waits for
 * `drain` forever. It affects operations, which then exceed every time limit, and the monitor, after which the client
 * never reconnects. With the patch, the close of the socket rejects the write.
 * @returns false if the driver's internals do not match
 */
export function patchDriver(): boolean {
  if (patched) return true;
  // Resolves the copy of the driver that mongoose uses.
  const requireLikeMongoose = createRequire(createRequire(import.meta.url).resolve('mongoose'));
  const { Connection } = requireLikeMongoose('mongodb/lib/cmap/connection.js') as DriverInternals;
  const { MongoNetworkError } = requireLikeMongoose('mongodb') as { MongoNetworkError: new (text: string) => Error };
  const original = Connection?.prototype.writeCommand;
  if (!Connection || typeof original !== 'function') return false;
  Connection.prototype.writeCommand = function writeCommand(command, options) {
    const { socket } = this;
    return new Promise<void>((resolve, reject) => {
      const onClose = () => reject(new MongoNetworkError('the connection was closed while a command was written'));
      if (socket.closed) return onClose();
      socket.once('close', onClose);
      original
        .call(this, command, options)
        .then(resolve, reject)
        .finally(() => socket.off('close', onClose));
    });
  };
  patched = true;
  return true;
}
