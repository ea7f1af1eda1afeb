import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { plainImage } from '../support/small-images.ts';
import { openWebKit } from './webkit.ts';
import { walkInWebKit } from './webkit-journey.ts';

/** Starts the built program on an empty folder, as the README does. @returns the first link */
async function startFresh(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'imagewright-journey-'));
  const child = spawn(process.execPath, ['dist/server/main.js'], {
    env: { ...process.env, PORT: '0', DATA_DIR: dataDir, MONGODB_URI: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
    await rm(dataDir, { recursive: true, force: true });
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk));
  await expect.poll(() => printed).toMatch(/\/dashboard\/claim#token=\S+/);
  return /http\S+\/dashboard\/claim#token=[\w-]+/.exec(printed)?.[0] ?? '';
}

it.each(['127.0.0.1', 'localhost'])(
  'in WebKit, from the first link to a downloaded file, on http://%s',
  async (host) => {
    const link = (await startFresh()).replace('127.0.0.1', host);
    const tab = await openWebKit();
    onTestFinished(tab.close);
    const { bytes } = await plainImage('hill.png', { width: 320, height: 240 });
    const { menu, texts, downloaded, removed, complaints } = await walkInWebKit(tab, link, bytes);
    // One press of Undo takes the text back.
    expect(texts).toEqual(['A hill', '']);
    expect(Math.max(Math.abs(menu.below), Math.abs(menu.aside))).toBeLessThanOrEqual(2);
    expect(menu.height).toBeLessThan(250);
    expect(downloaded).toMatch(/^RIFF.*WEBP/s);
    expect(removed).toContain('gone.png: The file has changed or is gone.');
    expect(complaints).toEqual([]);
  },
);
