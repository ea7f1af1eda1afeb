import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bytes } from '../../server/demo/report.ts';
import { FIXTURES } from '../support/api-client.ts';

const DEMO = fileURLToPath(new URL('../../dist/server/demo/main.js', import.meta.url));

describe('the demonstration', () => {
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'imagewright-demo-test-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  /** Runs it with a temporary directory of its own, which must be empty again in the end. */
  async function runDemo(...options: string[]): Promise<{ code: number | null; text: string }> {
    const child = spawn(process.execPath, [DEMO, '--photographs', join(FIXTURES, 'photos'), ...options], {
      env: { ...process.env, TMPDIR: directory },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, text };
  }

  it('exports photographs, leaves results that decode and nothing else, and prints plain lines without a terminal', async () => {
    const target = join(directory, 'output');
    const { code, text } = await runDemo('--only', 'photo-d', '--output', target);
    expect(text).toContain('Export     2/2');
    expect(code).toBe(0);
    const files = (await readdir(target)).sort();
    expect(files).toEqual(['photo-dandelion.webp', 'photo-dogs-portrait.webp']);
    for (const file of files) {
      const { data, info } = await sharp(join(target, file)).raw().toBuffer({ resolveWithObject: true });
      expect(data.length).toBe(info.width * info.height * info.channels);
      expect(text).toContain(`${info.width} x ${info.height}`);
    }
    expect(text).toContain('2 charged, 0 refunded, 23 left');
    // No colours, no cursor movements.
    expect(text).not.toContain('\u001b');
    expect(await readdir(directory)).toEqual(['output']);
  });

  it('says what is wrong when there are no photographs', async () => {
    const { code, text } = await runDemo('--only', 'nothing-is-called-this');
    expect(code).toBe(1);
    expect(text).toMatch(/The demonstration failed: no photographs in .*photos/);
  });

  it('writes sizes as people read them', () => {
    expect([bytes(999), bytes(265_200), bytes(1_490_000)]).toEqual(['1.0 kB', '265.2 kB', '1.49 MB']);
  });
});
