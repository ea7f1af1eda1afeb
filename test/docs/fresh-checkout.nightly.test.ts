import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FIXTURES } from '../support/api-client.ts';
import { blockOf } from '../support/documents.ts';
import { createWorkplace, fill, type Workplace, workplaceAt } from './run-commands.ts';

/** Copy of the files that git has of this checkout, in a folder of its own. */
let checkout: Workplace;
/** A folder elsewhere, from which programs of the checkout are started. */
let elsewhere: Workplace;
const LISTENING = /"url":"(http:[^"]+)","msg":"listening"/;
const settings = { PORT: '0', LOG_FORMAT: 'json' };

beforeAll(() => {
  const folder = createWorkplace().folder;
  const archive = execFileSync('git', ['archive', 'HEAD'], { maxBuffer: 1 << 30 });
  execFileSync('tar', ['x', '-C', folder], { input: archive });
  checkout = workplaceAt(folder);
  elsewhere = createWorkplace();
  mkdirSync(join(elsewhere.folder, 'src'));
  writeFileSync(join(elsewhere.folder, 'package.json'), '{}');
  copyFileSync(join(FIXTURES, 'photos/photo-brushes.jpg'), join(elsewhere.folder, 'src/beach.jpg'));
});
afterAll(() => {
  checkout.remove();
  elsewhere.remove();
});

it('README.md: a clone is a service after one line', async () => {
  const line = blockOf('README.md', 'npm ci && npm start');
  const { found: url, stop } = await checkout.start(line, LISTENING, settings);
  try {
    // docs/operating.md, after an upgrade.
    await checkout.run(fill('curl -fs http://127.0.0.1:8080/readyz', { 'http://127.0.0.1:8080': url }));
    for (const path of ['/dashboard', '/demo', '/docs']) expect((await fetch(url + path)).status).toBe(200);
  } finally {
    await stop();
  }
});

it.each([
  ['npm run --silent imagewright -- optimize …', 'in'],
  ['npx imagewright optimize …', 'in'],
  ['node /path/to/imagewright/plugin-bridge/cli/bin.mjs optimize …', 'out'],
  ['npm run --silent --prefix /path/to/imagewright imagewright -- optimize …', 'out'],
])('docs/cli.md: %s', async (command, where) => {
  const place = where === 'in' ? checkout : elsewhere;
  const source = join(elsewhere.folder, 'src/beach.jpg');
  const made = join(elsewhere.folder, `made-${command.length}`);
  const written = fill(command, { '…': `'${source}' --local --out '${made}'` });
  await place.run(written.replaceAll('/path/to/imagewright', checkout.folder));
  await place.run(`test -s '${made}/beach.webp'`);
});

it('docs/contributing.md: what a contributor starts', async () => {
  const lines = blockOf('docs/contributing.md', 'npm ci ').split('\n');
  const line = (begins: string) => lines.find((one) => one.startsWith(begins)) ?? begins;
  const service = await checkout.start(line('npm run dev '), LISTENING, settings);
  try {
    for (const page of ['npm run dev:widget', 'npm run dev:dashboard']) {
      const { found, stop } = await checkout.start(line(page), /(http:\/\/[\w.]+:\d+)/, {
        IMAGEWRIGHT_ENDPOINT: service.found,
      });
      expect((await fetch(found)).status).toBe(200);
      await stop();
    }
    await checkout.run(line('npx vitest run test/exports').replace('test/exports', 'test/processing/filename'));
  } finally {
    await service.stop();
  }
});

it('docs/production.md: built, without what only the build needs, and started', async () => {
  const lines = blockOf('docs/production.md', 'npm ci && npm run build').trim().split('\n');
  const start = lines.pop() ?? '';
  await checkout.run(lines.join('\n'));
  const { found, stop } = await checkout.start(start, LISTENING, settings);
  try {
    expect((await fetch(`${found}/readyz`)).status).toBe(200);
  } finally {
    await stop();
  }
});
