import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type BuiltPlugin, buildPlugin } from '../../plugin-bridge/wordpress/build/build-plugin.ts';
import { stampReadme } from '../../plugin-bridge/wordpress/build/links.ts';
import { prepare } from './site/prepare.ts';

let plugin: BuiltPlugin;

beforeAll(async () => {
  // Holds the lock against other test files that build.
  plugin = (await prepare()).built;
});

describe('the archive', () => {
  it('contains exactly the files of the plugin in one folder', async () => {
    const entries = Object.keys(unzipSync(await readFile(plugin.zip)));
    expect(entries.sort()).toEqual(plugin.files.map((name) => `imagewright/${name}`).sort());
    const kinds = entries.filter(
      (name) => !/^imagewright\/(LICENSE|build\/NOTICES\.md|[\w/-]+\.(php|js|css|txt|pot|mo))$/.test(name),
    );
    expect(kinds).toEqual([]);
    expect(entries.length).toBeLessThan(130);
    for (const name of [
      'imagewright.php',
      'uninstall.php',
      'readme.txt',
      'LICENSE',
      'build/widget.js',
      'build/NOTICES.md',
    ]) {
      expect(plugin.files).toContain(name);
    }
  });

  it('has scripts below the size limit for an admin page', async () => {
    const bytes = async (name: string) => (await readFile(join(plugin.folder, 'build', name))).length;
    expect((await bytes('widget.js')) + (await bytes('page.js'))).toBeLessThan(308_000);
  });

  it('defines every text that the scripts use', async () => {
    const strings = await readFile(join(plugin.folder, 'includes/Admin/class-imagewright-screen-strings.php'), 'utf8');
    const scripts = await Promise.all(
      ['bulk-panel', 'bulk-run', 'review', 'attachments', 'settings', 'rest', 'choose-media'].map((name) =>
        readFile(new URL(`../../plugin-bridge/wordpress/src/${name}.ts`, import.meta.url), 'utf8'),
      ),
    );
    const used = scripts.join('\n').matchAll(/strings\.(\w+)|\bsay\('(\w+)'/g);
    for (const [, a, b] of used) expect(strings).toContain(`'${a ?? b}' `);
  });

  it('lists every text once in the template for translators', async () => {
    const template = await readFile(join(plugin.folder, 'languages/imagewright.pot'), 'utf8');
    for (const text of ['Test the connection', 'Whole library', 'Choose from the media library']) {
      expect(template).toContain(`msgid "${text}"`);
    }
    expect(template).toContain('#. translators: %s: last 4 characters of the key\n');
    // Words of the element have a context, since those of the plugin may mean something else.
    const ids = template.match(/^(msgctxt .+\n)?msgid .+$/gm) ?? [];
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has an archive of the sources of its scripts beside it, from which these are built again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'imagewright-sources-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    for (const [name, bytes] of Object.entries(unzipSync(await readFile(plugin.sources)))) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), bytes);
    }
    const sources = join(folder, 'imagewright-sources');
    const readme = await readFile(join(sources, 'README.txt'), 'utf8');
    await symlink(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(sources, 'node_modules'));
    const [, script = '', target = ''] = /^ {4}npx tsx (\S+) (\S+)$/m.exec(readme) ?? [];
    await promisify(execFile)(process.execPath, ['node_modules/tsx/dist/cli.mjs', script, target], { cwd: sources });
    for (const name of plugin.files.filter((file) => /^build\/.*\.(js|css|md)$/.test(file))) {
      const shipped = await readFile(join(plugin.folder, name));
      expect([name, shipped.equals(await readFile(join(sources, name)))]).toEqual([name, true]);
    }
  });

  it('is identical byte for byte when built again, as its sources are', async () => {
    const again = await buildPlugin(join(plugin.folder, '../../wordpress-again'));
    expect(Buffer.compare(await readFile(plugin.zip), await readFile(again.zip))).toBe(0);
    expect(Buffer.compare(await readFile(plugin.sources), await readFile(again.sources))).toBe(0);
  });

  it('names the public address of its sources, if the publisher has entered it', async () => {
    const readme = await readFile(join(plugin.folder, 'readme.txt'), 'utf8');
    expect(readme).toContain('imagewright-sources.zip');
    const links = { homepage: '', author: '', sources: 'https://code.example/imagewright' };
    expect(stampReadme(readme, links)).toMatch(
      /== Sources ==\n\nAddress of the sources: https:\/\/code\.example\/imagewright\n/,
    );
    expect(stampReadme(readme, { ...links, sources: '' })).toBe(readme);
  });
});
