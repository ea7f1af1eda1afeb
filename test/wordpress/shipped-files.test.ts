import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type BuiltPlugin, buildPlugin } from '../../plugin-bridge/wordpress/build/build-plugin.ts';
import { lint } from './site/lint.ts';
import { prepare } from './site/prepare.ts';

let plugin: BuiltPlugin;
let php: string | null;
const sources = new Map<string, string>();

beforeAll(async () => {
  // Installs what the build needs nothing of, but holds the lock against other test files that build.
  const prepared = await prepare();
  plugin = prepared.built;
  php = prepared.php;
  for (const name of plugin.files.filter((file) => file.endsWith('.php'))) {
    sources.set(name, await readFile(join(plugin.folder, name), 'utf8'));
  }
}, 300_000);

/** Lines of PHP that a pattern finds, without those that say why they are an exception. */
function linesWith(pattern: RegExp): string[] {
  return [...sources].flatMap(([name, text]) =>
    text.split('\n').flatMap((line, index) => {
      const isExcused = line.includes('phpcs:ignore') || /^\s*(\*|\/\/)/.test(line);
      return !isExcused && pattern.test(line) ? [`${name}:${index + 1}: ${line.trim()}`] : [];
    }),
  );
}

/** What WordPress' Plugin Check reports as errors or warnings and a pattern can find. */
const FORBIDDEN: Record<string, RegExp> = {
  'curl functions': /\bcurl_\w+\s*\(/,
  'file functions in place of WP_Filesystem':
    /(?<![>:\w])(fopen|fread|fwrite|fclose|unlink|rename|copy|mkdir|rmdir|chmod|touch|file_put_contents|readfile|move_uploaded_file)\s*\(/,
  'commands and code from text':
    /(?<![>:\w])(eval|exec|system|passthru|proc_open|popen|shell_exec|create_function|base64_decode)\s*\(/,
  heredoc: /<<<['"A-Z]/,
  'short tags': /<\?(?!php|xml)/,
  'translations loaded by hand': /load_plugin_textdomain/,
  'logging and changing of limits': /(?<![>:\w])(error_log|var_dump|print_r|set_time_limit|ini_set)\s*\(/,
  'addresses of this machine': /localhost|127\.0\.0\.1/,
  'routes that are open to everybody': /__return_true/,
  'unescaped output': /\becho\s+(?!esc_|wp_kses|\$fixed \? esc_html)/,
  'newer PHP than 7.4': /\bmatch\s*\(|\?->|\b(public|private|protected)\s+readonly\b|\benum\s+\w+\s*[:{]|#\[\w/,
  'other text domains':
    /\b(__|_e|esc_html__|esc_html_e|esc_attr__|esc_attr_e|_n|_x)\(\s*'(?:[^'\\]|\\.)*'\s*(?:\)|,\s*'(?!imagewright'))/,
};

describe('the PHP that is shipped', () => {
  it.each(Object.entries(FORBIDDEN))('has no %s', (_, pattern) => {
    expect(linesWith(pattern)).toEqual([]);
  });

  it('is PHP that PHP can read, every file of it', { timeout: 120_000 }, async () => {
    const broken = join(await mkdtemp(join(tmpdir(), 'imagewright-lint-')), 'broken.php');
    onTestFinished(() => rm(dirname(broken), { recursive: true }));
    await writeFile(broken, '<?php\nfunction broken( { }\n');
    const files = [...sources.keys()].map((name) => join(plugin.folder, name));
    expect(files.length).toBeGreaterThan(30);
    expect(await lint(php, files)).toEqual([]);
    expect((await lint(php, [broken])).join()).toMatch(/syntax error.* on line 2/);
  });

  it('cannot be called from outside of WordPress', () => {
    const open = [...sources].filter(
      ([, text]) => !/defined\( '(ABSPATH|WP_UNINSTALL_PLUGIN)' \) \|\| exit;/.test(text),
    );
    expect(open.map(([name]) => name)).toEqual([]);
  });

  it('gives every route a permission of its own', () => {
    for (const [name, text] of sources) {
      const routes = text.match(/'methods'\s*=>/g)?.length ?? 0;
      expect([name, text.match(/'permission_callback'\s*=>/g)?.length ?? 0]).toEqual([name, routes]);
    }
  });

  it('says the same of itself in its header and in readme.txt', async () => {
    const header = sources.get('imagewright.php') ?? '';
    const readme = await readFile(join(plugin.folder, 'readme.txt'), 'utf8');
    const inHeader = (field: string) => new RegExp(`\\* ${field}:\\s+(.+)`).exec(header)?.[1];
    const inReadme = (field: string) => new RegExp(`^${field}: (.+)$`, 'm').exec(readme)?.[1];
    expect(inReadme('Stable tag')).toBe(inHeader('Version'));
    for (const field of ['Requires at least', 'Requires PHP', 'License']) expect(inReadme(field)).toBe(inHeader(field));
    expect(header).toContain(`define( 'IMAGEWRIGHT_VERSION', '${inHeader('Version')}' )`);
    expect(/\n\n(.{1,150})\n\n== Description/.exec(readme)).not.toBeNull();
    expect(inReadme('Tags')?.split(', ').length).toBeLessThanOrEqual(5);
  });
});

describe('the archive', () => {
  it('holds what is needed and nothing else, below one folder', async () => {
    const entries = Object.keys(unzipSync(await readFile(plugin.zip)));
    expect(entries.sort()).toEqual(plugin.files.map((name) => `imagewright/${name}`).sort());
    const kinds = entries.filter((name) => !/^imagewright\/(LICENSE|[\w/-]+\.(php|js|css|txt|pot))$/.test(name));
    expect(kinds).toEqual([]);
    for (const name of ['imagewright.php', 'uninstall.php', 'readme.txt', 'LICENSE', 'build/widget.js']) {
      expect(plugin.files).toContain(name);
    }
  });

  it('has scripts that are small enough for an admin page', async () => {
    const bytes = async (name: string) => (await readFile(join(plugin.folder, 'build', name))).length;
    expect((await bytes('widget.js')) + (await bytes('page.js'))).toBeLessThan(293_000);
  });

  it('has every text of the scripts', async () => {
    const strings = sources.get('includes/class-imagewright-strings.php') ?? '';
    const scripts = await Promise.all(
      ['bulk-panel', 'bulk-run', 'review', 'attachments', 'settings', 'rest', 'choose-media'].map((name) =>
        readFile(new URL(`../../plugin-bridge/wordpress/src/${name}.ts`, import.meta.url), 'utf8'),
      ),
    );
    const used = scripts.join('\n').matchAll(/strings\.(\w+)|\bsay\('(\w+)'/g);
    for (const [, a, b] of used) expect(strings).toContain(`'${a ?? b}' `);
  });

  it('has every text for translators, and no text for them that is not used', async () => {
    const template = await readFile(join(plugin.folder, 'languages/imagewright.pot'), 'utf8');
    for (const text of ['Test the connection', 'Optimize without review', 'Choose from the media library']) {
      expect(template).toContain(`msgid "${text}"`);
    }
    expect(template).toContain('#. translators: %s: last 4 characters of the key\n');
    const ids = template.match(/^msgid .+$/gm) ?? [];
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is the same, byte for byte, when it is built again', async () => {
    const first = await readFile(plugin.zip);
    expect(
      Buffer.compare(first, await readFile((await buildPlugin(join(plugin.folder, '../../wordpress-again'))).zip)),
    ).toBe(0);
  });
});
