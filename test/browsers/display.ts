import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Opens a display without a screen, which chooses its own free number. @throws Error without Xvfb */
export async function openDisplay(): Promise<{ name: string; close(): void }> {
  const args = ['-displayfd', '3', '-screen', '0', '1600x1200x24', '-nolisten', 'tcp'];
  const server = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  const failed = once(server, 'error').then(([error]) => Promise.reject(error));
  const number = once(server.stdio[3] as NodeJS.ReadableStream, 'data').then(([data]) => String(data).trim());
  const name = `:${await Promise.race([number, failed])}`;
  return { name, close: () => void server.kill() };
}
