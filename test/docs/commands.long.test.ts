import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../server/config/index.ts';
import { openSigner } from '../../server/processing/signing/open-signer.ts';
import { FIXTURES } from '../support/api-client.ts';
import { blockOf } from '../support/documents.ts';
import { createWorkplace, fill, type Workplace } from './run-commands.ts';

const PHOTO = 'photos/photo-brushes.jpg';

/** A checkout whose service runs on a new folder, as the first page starts it. */
let checkout: Workplace;
let data: string;
let url: string;
let stop: () => Promise<void>;
let apiKey: string;
let env: Record<string, string>;

beforeAll(async () => {
  checkout = createWorkplace({ likeCheckout: true });
  data = join(checkout.folder, 'data-of-service');
  env = { DATA_DIR: data };
  const [, start = ''] = blockOf('README.md', 'npm ci && npm start').split('&&');
  const settings = { ...env, PORT: '0', LOG_FORMAT: 'json', QUALITY_SEARCH: 'off' };
  ({ found: url, stop } = await checkout.start(start.trim(), /"url":"(http:[^"]+)","msg":"listening"/, settings));
});
afterAll(async () => {
  await stop?.();
  checkout?.remove();
});

describe('commands of the operator', () => {
  it('docs/operating.md: all of them, in order', async () => {
    const printed = await checkout.run(blockOf('docs/operating.md', 'npm run --silent admin -- --help'), env);
    for (const part of [
      'backup --to DIR',
      '"plan": "agency"',
      '/dashboard/claim#token=',
      '"role": "operator"',
      '"ok": true',
    ]) {
      expect(printed).toContain(part);
    }
    [apiKey = ''] = /iw_\w+(?=",?\s*\n)/.exec(printed.slice(printed.indexOf('operator'))) ?? [];
    expect(readFileSync(join(checkout.folder, 'operator-log.csv'), 'utf8').split('\n').length).toBeGreaterThan(4);
  });

  it.each([
    [
      'docs/production.md',
      'npm run --silent admin -- key create --email you@example.com --name NAME',
      { 'you@': 'editor@' },
    ],
    ['docs/operating.md', 'npm run --silent admin -- credits audit', {}],
    ['docs/scaling.md', 'npm run --silent admin -- files accept', {}],
    ['docs/upgrading.md', 'npm run --silent admin -- backup --to DIR', { DIR: './backup-of-upgrade' }],
  ])('%s: %s', async (page, command, places) => {
    expect(readFileSync(page, 'utf8')).toContain(`\`${command}\``);
    expect(JSON.parse(await checkout.run(fill(command, places), env))).toBeTruthy();
  });

  it('docs/backup.md: a backup that is restored into an empty folder, and holds', async () => {
    const place = join(checkout.folder, 'backups');
    const [backup = '', restore = ''] = fill(blockOf('docs/backup.md', 'npm run --silent admin -- backup --to'), {
      '/backups/': `${place}/`,
    }).split('\n');
    await checkout.run(backup, env);
    const restored = { DATA_DIR: join(checkout.folder, 'restored') };
    await checkout.run(restore, restored);
    expect(JSON.parse(await checkout.run('npm run --silent admin -- credits audit', restored))).toMatchObject({
      ok: true,
    });

    // The other programs of these two blocks copy buckets and databases of other servers.
    const holds =
      readFileSync('docs/backup.md', 'utf8').match(/^npm run --silent admin -- backup (hold|release).*$/gm) ?? [];
    expect(holds).toHaveLength(4);
    const printed = await checkout.run(holds.slice(0, 2).join('\n'), env);
    expect(printed.match(/"keepsFilesUntil": ("20|null)/g)).toHaveLength(2);
  });
});

describe('README.md', () => {
  it('the tour: a session, texts, a free sample, an export for a credit, a download', async () => {
    const place = createWorkplace();
    try {
      symlinkSync(resolve('test'), join(place.folder, 'test'));
      const tour = fill(blockOf('README.md', 'KEY=iw_…'), { 'iw_…': apiKey, 'http://127.0.0.1:8080': url });
      const printed = await place.run(tour);
      expect(printed.match(/^event: complete$/gm)).toHaveLength(3);
      expect(printed).not.toMatch(/"code":"/);
      expect(await sharp(join(place.folder, 'paint-brushes.webp')).metadata()).toMatchObject({ format: 'webp' });
      expect(JSON.parse(printed.slice(printed.lastIndexOf('\n{')))).toMatchObject({ balance: 524 });
    } finally {
      place.remove();
    }
  });

  it('a token for a page of another origin (docs/embedding.md)', async () => {
    const block = blockOf('docs/embedding.md', 'curl -X POST https://images.example.com/v1/tokens');
    const [, shown = ''] = block.split('\n# ');
    const printed = await checkout.run(fill(block, { 'https://images.example.com': url }), {
      IMAGEWRIGHT_API_KEY: apiKey,
    });
    expect(Object.keys(JSON.parse(printed)).sort()).toEqual(Object.keys(JSON.parse(shown)).sort());
  });
});

describe('the command line program', () => {
  /** A project outside of the checkout, with the program in its path as an installation puts it there. */
  function project(): Workplace {
    const place = createWorkplace();
    writeFileSync(join(place.folder, 'package.json'), '{}');
    mkdirSync(join(place.folder, 'src'));
    mkdirSync(join(place.folder, 'bin'));
    cpSync(join(FIXTURES, PHOTO), join(place.folder, 'src', 'brushes.jpg'));
    for (const name of ['imagewright', 'npx']) {
      const program = `#!/bin/sh\n${name === 'npx' ? 'shift\n' : ''}exec node ${resolve('plugin-bridge/cli/bin.mjs')} "$@"\n`;
      writeFileSync(join(place.folder, 'bin', name), program, { mode: 0o755 });
    }
    return place;
  }
  const inPath = (place: Workplace) => ({ PATH: `${join(place.folder, 'bin')}:${process.env.PATH}` });

  it('docs/cli.md: without a service, then with one', async () => {
    const place = project();
    try {
      const block = blockOf('docs/cli.md', "imagewright optimize 'src/**/*.jpg' --local");
      const [local = '', remote = ''] = fill(block, { 'iw_…': apiKey, 'https://images.example.com': url }).split(
        '\n\n',
      );
      const made = () => readdirSync(join(place.folder, 'dist')).sort();
      await place.run(local, inPath(place));
      expect(made()).toEqual(['brushes.avif', 'brushes.webp']);
      await place.run('rm -r dist .imagewright');
      await place.run(remote, inPath(place));
      expect(made()).toEqual(['brushes.avif', 'brushes.webp']);
    } finally {
      place.remove();
    }
  });

  it('docs/cli.md: the configuration file, and plugin-bridge/cli/README.md: the first command', async () => {
    const place = project();
    try {
      writeFileSync(join(place.folder, 'imagewright.config.json'), blockOf('docs/cli.md', '{\n  "patterns"'));
      await place.run('imagewright optimize', inPath(place));
      expect(Object.keys(JSON.parse(readFileSync(join(place.folder, 'src/images.json'), 'utf8')))).toHaveLength(1);
      await place.run('rm imagewright.config.json && rm -r .imagewright');
      await place.run(blockOf('plugin-bridge/cli/README.md', 'npx imagewright optimize'), inPath(place));
      expect(existsSync(join(place.folder, 'public/brushes.webp'))).toBe(true);
    } finally {
      place.remove();
    }
  });
});

it('docs/content-credentials.md: a certificate of one’s own signs', async () => {
  const place = createWorkplace();
  try {
    await place.run(blockOf('docs/content-credentials.md', 'openssl req -x509'));
    const settings = fill(blockOf('docs/content-credentials.md', 'CONTENT_CREDENTIALS=sign'), {
      '/etc/imagewright': place.folder,
    });
    const { processing } = loadConfig(settingsOf(settings));
    await expect(openSigner(processing)).resolves.toBeTruthy();
  } finally {
    place.remove();
  }
});

/** Reads settings as a shell does: `NAME=value`, with a comment behind. */
function settingsOf(code: string): Record<string, string> {
  return Object.fromEntries(
    [...code.matchAll(/(\w+)=('[^']*'|\S+)/g)].map(([, name = '', value = '']) => [name, value.replaceAll("'", '')]),
  );
}
