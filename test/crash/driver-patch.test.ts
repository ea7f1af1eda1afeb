import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { patchDriver } from '../../server/db/connect.ts';

interface Internals {
  Connection: { prototype: { writeCommand(command: unknown, options: unknown): Promise<void> } };
}

describe('the mended MongoDB driver', () => {
  it('gives up a write to a socket that was destroyed an instant before', async () => {
    expect(patchDriver()).toBe(true);
    const { Connection } = createRequire(import.meta.url)('mongodb/lib/cmap/connection.js') as Internals;
    const socket = new Socket();
    socket.on('error', () => {});
    socket.destroy();
    const command = { toBin: async () => [Buffer.from('hello')] };
    const write = Connection.prototype.writeCommand.call({ socket }, command, { agreedCompressor: 'none' });
    await expect(write).rejects.toMatchObject({ name: 'MongoNetworkError' });
  });
});
