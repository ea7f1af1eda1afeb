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
      const isExcused = line.includes('phpcs:ignore') || /^\s*(\/?\*|\/\/)/.test(line);
      return !isExcused && pattern.test(line) ? [`${name}:${index + 1}: ${line.trim()}`] : [];
    }),
  );
}

/** What WordPress' Plugin Check reports as errors or warnings and a pattern can find. */
const FORBIDDEN: Record<string, RegExp> = {
  'curl functions': /\bcurl_\w+\s*\(/,
  'file functions in place of WP_Filesystem':
    /(?<![>:\w])(fopen|fread|fwrite|fputs|fclose|unlink|rename|copy|mkdir|rmdir|chmod|chown|chgrp|touch|symlink|tempnam|is_writable|file_get_contents|file_put_contents|readfile|move_uploaded_file)\s*\(/,
  'connections beside the HTTP API': /(?<![>:\w])(p?fsockopen|stream_socket_client|socket_\w+|mail)\s*\(/,
  'functions that WordPress has its own for':
    /(?<![>:\w])(json_encode|parse_url|strip_tags|rand|mt_rand|srand|mt_srand|date|urlencode|unserialize|serialize|var_export)\s*\(/,
  'commands and code from text':
    /`|(?<![>:\w])(eval|assert|extract|exec|system|passthru|proc_open|popen|shell_exec|create_function|base64_decode)\s*\(/,
  heredoc: /<<<['"A-Z]/,
  'short tags': /<\?(?!php|xml)/,
  'translations loaded by hand': /load_plugin_textdomain/,
  'logging and changing of limits':
    /(?<![>:\w])(error_log|trigger_error|var_dump|print_r|debug_\w+|phpinfo|error_reporting|set_time_limit|ini_set)\s*\(/,
  'errors that are hushed up': /(?<![\w'"])@[\w$\\]+\s*(?:\(|->|=|;)/,
  'queries that are not prepared': /->(query|get_var|get_row|get_col|get_results)\(\s*(?!\$wpdb->prepare)/,
  'raw input of a request': /\$_(GET|POST|REQUEST|COOKIE|FILES|SERVER|ENV)\b/,
  'files and addresses of other hosts': /https?:\/\/(?!www\.gnu\.org\/|images\.example\.com)\w/,
  'addresses of this machine': /localhost|127\.0\.0\.1/,
  'routes that are open to everybody': /__return_true/,
  'unescaped output': /\becho\s+(?!esc_|wp_kses|\$fixed \? esc_html)|\b(_e|_ex|printf|vprintf|print)\s*\(|<\?=/,
  'newer PHP than 7.4': /\bmatch\s*\(|\?->|\b(public|private|protected)\s+readonly\b|\benum\s+\w+\s*[:{]|#\[\w/,
  'other text domains':
    /\b(__|_e|esc_html__|esc_html_e|esc_attr__|esc_attr_e|_n|_x)\(\s*'(?:[^'\\]|\\.)*'\s*(?:\)|,\s*'(?!imagewright'))/,
};

/** Names that share one space with every other plugin, and what makes them ours. */
const NAMES: Record<string, [declaration: RegExp, ours: RegExp]> = {
  classes: [/^\s*(?:final |abstract )?(?:class|interface|trait)\s+(\w+)/gm, /^Imagewright_/],
  functions: [/^function\s+(\w+)/gm, /^imagewright_/],
  constants: [/\bdefine\( '(\w+)'/g, /^(IMAGEWRIGHT_|FS_CHMOD_FILE$)/],
  'global variables': [/^(?:\t?foreach .*|\t\) )as \$(\w+)/gm, /^imagewright_/],
  'options and metadata': [/\b(?:const (?:META|KEY|SETTINGS|WORK|FAILURE))\s*=\s*'(\w+)'/g, /^_?imagewright/],
  hooks: [/\b(?:do_action|apply_filters)\( '([\w-]+)'/g, /^(imagewright_|big_image_size_threshold$)/],
  scripts: [/\bwp_(?:enqueue|register)_(?:script|style)\( '([\w-]+)'/g, /^imagewright/],
  routes: [/\bregister_rest_route\(\s*'([\w/]+)'/g, /^imagewright\/v1$/],
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

  it.each(Object.entries(NAMES))('names its %s so that no other plugin has them', (_, [declaration, ours]) => {
    const names = [...sources].flatMap(([, text]) => [...text.matchAll(declaration)].map(([, name = '']) => name));
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !ours.test(name))).toEqual([]);
  });

  it('begins at the first byte and has nothing after its end', () => {
    const odd = [...sources].filter(([, text]) => !text.startsWith('<?php\n') || /\?>\s*$/.test(text));
    expect(odd.map(([name]) => name)).toEqual([]);
  });

  it('gives translators texts as they stand, and a hint for each placeholder', () => {
    const call = /\b(__|_e|esc_html__|esc_html_e|esc_attr__|esc_attr_e|_n|_x)\(\s*/g;
    let placeholders = 0;
    for (const [name, text] of sources) {
      for (const { index, 0: whole } of text.matchAll(call)) {
        const line = `${name}:${text.slice(0, index).split('\n').length}`;
        const literal = /^'((?:[^'\\]|\\.)*)'/.exec(text.slice(index + whole.length))?.[1];
        expect([line, literal === undefined]).toEqual([line, false]);
        if (!/%(?:\d\$)?[sd]/.test(literal ?? '') || name.startsWith('build/')) continue;
        placeholders += 1;
        const above = text.slice(0, text.lastIndexOf('\n', index));
        expect([line, /\/\* translators: .*\*\/\s*$/.test(above)]).toEqual([line, true]);
      }
    }
    expect(placeholders).toBeGreaterThan(5);
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
    expect(inReadme('License URI')).toBe(inHeader('License URI'));
    expect(readme.startsWith(`=== ${inHeader('Plugin Name')} ===\n`)).toBe(true);
    expect(inReadme('Contributors')).toMatch(/^[a-z0-9]+$/);
    // Main version and number, nothing more.
    expect(inReadme('Tested up to')).toMatch(/^\d+\.\d+$/);
    expect([inHeader('Text Domain'), inHeader('Domain Path')]).toEqual(['imagewright', '/languages']);
    for (const section of [
      'Description',
      'Installation',
      'Frequently Asked Questions',
      'External services',
      'Changelog',
    ]) {
      expect(readme).toContain(`\n== ${section} ==\n`);
    }
    expect(readme.slice(readme.indexOf('== Changelog =='))).toContain(`\n= ${inHeader('Version')} =\n`);
    // Names of others are no part of a plugin's own.
    expect(`imagewright ${inHeader('Plugin Name')}`).not.toMatch(/wordpress|woo|gutenberg|plugin/i);
  });
});

describe('the archive', () => {
  it('holds what is needed and nothing else, below one folder', async () => {
    const entries = Object.keys(unzipSync(await readFile(plugin.zip)));
    expect(entries.sort()).toEqual(plugin.files.map((name) => `imagewright/${name}`).sort());
    const kinds = entries.filter(
      (name) => !/^imagewright\/(LICENSE|build\/NOTICES\.md|[\w/-]+\.(php|js|css|txt|pot|po|mo))$/.test(name),
    );
    expect(kinds).toEqual([]);
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

  it('has scripts that are small enough for an admin page', async () => {
    const bytes = async (name: string) => (await readFile(join(plugin.folder, 'build', name))).length;
    expect((await bytes('widget.js')) + (await bytes('page.js'))).toBeLessThan(293_000);
  });

  it('has every text of the scripts', async () => {
    const strings = sources.get('includes/Admin/class-imagewright-strings.php') ?? '';
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
