import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { BuiltPlugin } from '../../plugin-bridge/wordpress/build/build-plugin.ts';
import { lint } from './site/lint.ts';
import { prepare } from './site/prepare.ts';

let plugin: BuiltPlugin;
let php: string | null;
const sources = new Map<string, string>();

beforeAll(async () => {
  // Holds the lock against other test files that build.
  const prepared = await prepare();
  plugin = prepared.built;
  php = prepared.php;
  for (const name of plugin.files.filter((file) => file.endsWith('.php'))) {
    sources.set(name, await readFile(join(plugin.folder, name), 'utf8'));
  }
});

/** Lines that a forbidden pattern matches and that are correct nevertheless. */
const EXCEPTIONS: readonly { file: string; code: string; reason: string }[] = [
  {
    file: 'includes/Service/class-imagewright-sessions.php',
    code: "file_get_contents( $file['path'] )",
    reason: 'WP_Filesystem may be FTP; the path never comes from a request',
  },
  {
    file: 'includes/Rest/class-imagewright-proxy.php',
    code: 'readfile( $file )',
    reason: 'sends a temporary file without loading it into memory',
  },
  {
    file: 'includes/Rest/class-imagewright-rest-library.php',
    code: "readfile( $source['path'] )",
    reason: 'sends an upload without loading it into memory',
  },
  {
    file: 'includes/Media/class-imagewright-lock.php',
    code: 'SELECT option_name, option_value FROM $wpdb->options',
    reason: 'constant text without input',
  },
  {
    file: 'uninstall.php',
    code: 'SELECT option_name FROM $wpdb->options',
    reason: 'constant text without input',
  },
  {
    file: 'includes/Service/class-imagewright-options.php',
    code: 'wp_unslash( $_POST[ self::KEY ] )',
    reason: 'options.php has checked the nonce of the form',
  },
  {
    file: 'includes/Admin/class-imagewright-settings-page.php',
    code: "$_POST['imagewright_remove_key']",
    reason: 'options.php has checked the nonce of the form',
  },
  {
    file: 'includes/Admin/class-imagewright-media-list.php',
    code: 'wp_unslash( $_GET[ self::FILTER ] )',
    reason: 'only what a list shows',
  },
  {
    file: 'includes/Admin/class-imagewright-media-list.php',
    code: 'wp_unslash( $_GET[ self::RUN ] )',
    reason: 'only what a list shows',
  },
  {
    file: 'includes/Admin/class-imagewright-media-list.php',
    code: "wp_unslash( $_REQUEST['query'][ self::FILTER ] )",
    reason: 'only what the grid shows',
  },
  {
    file: 'includes/Admin/class-imagewright-pages.php',
    code: 'wp_unslash( $_GET[ Imagewright_Media_List::TAB ] )',
    reason: 'only which section is shown',
  },
  {
    file: 'includes/Media/class-imagewright-eligibility.php',
    code: "file_get_contents( $source['path'], false, null, 0, 65536 )",
    reason: 'the beginning of a file of the library, which may have 50 MB',
  },
  {
    file: 'includes/Report/class-imagewright-page-view.php',
    code: 'wp_unslash( $_GET[ self::QUERY ] )',
    reason: 'a signature, which is checked',
  },
  {
    file: 'includes/class-imagewright-plugin.php',
    code: "isset( $_GET['imagewright_view'] )",
    reason: 'only whether there is a signature',
  },
  {
    file: 'includes/Report/class-imagewright-page-view.php',
    code: "echo '<!-- imagewright-sizes '",
    reason: 'JSON without < and >, in a comment of a signed page',
  },
  {
    file: 'includes/Admin/class-imagewright-pages.php',
    code: 'wp_unslash( $_GET[ Imagewright_Media_List::IDS ] )',
    reason: 'ids to display; every change checks its own nonce',
  },
  {
    file: 'includes/Rest/class-imagewright-event-stream.php',
    code: 'echo $piece;',
    reason: 'an event stream with nosniff, no HTML',
  },
];

const isException = (name: string, line: string) =>
  EXCEPTIONS.some(({ file, code }) => name === file && line.includes(code));

/** Lines of PHP that match a pattern, without comments and exceptions. */
function linesWith(pattern: RegExp): string[] {
  return [...sources].flatMap(([name, text]) =>
    text.split('\n').flatMap((line, index) => {
      const isExcused = isException(name, line) || /^\s*(\/?\*|\/\/)/.test(line);
      return !isExcused && pattern.test(line) ? [`${name}:${index + 1}: ${line.trim()}`] : [];
    }),
  );
}

/** Most lines of a PHP file and of one of its functions. */
const MAX_FILE_LINES = 300;
const MAX_FUNCTION_LINES = 60;

/** Lengths in lines of all functions and methods of the plugin's own files, by name. */
function functionLengths(): [name: string, lines: number][] {
  return [...sources].flatMap(([file, text]) =>
    [...text.matchAll(/^(\t?)(?:(?:public|protected|private|static|final) )*function (\w+)[\s\S]*?^\1\}$/gm)].map(
      ([body, , name]): [string, number] => [`${file}: ${name}`, body.split('\n').length],
    ),
  );
}

/** Errors and warnings of the WordPress Plugin Check that a pattern can find. */
const FORBIDDEN: Record<string, RegExp> = {
  'curl functions': /\bcurl_\w+\s*\(/,
  'file functions instead of WP_Filesystem':
    /(?<![>:\w])(fopen|fread|fwrite|fputs|fclose|unlink|rename|copy|mkdir|rmdir|chmod|chown|chgrp|touch|symlink|tempnam|is_writable|file_get_contents|file_put_contents|readfile|move_uploaded_file)\s*\(/,
  'connections outside of the HTTP API': /(?<![>:\w])(p?fsockopen|stream_socket_client|socket_\w+|mail)\s*\(/,
  'functions that WordPress replaces by its own':
    /(?<![>:\w])(json_encode|parse_url|strip_tags|rand|mt_rand|srand|mt_srand|date|urlencode|unserialize|serialize|var_export)\s*\(/,
  'shell commands or evaluated code':
    /`|(?<![>:\w])(eval|assert|extract|exec|system|passthru|proc_open|popen|shell_exec|create_function|base64_decode)\s*\(/,
  heredoc: /<<<['"A-Z]/,
  'short tags': /<\?(?!php|xml)/,
  'manually loaded translations': /load_plugin_textdomain/,
  'logging or changed limits':
    /(?<![>:\w])(error_log|trigger_error|var_dump|print_r|debug_\w+|phpinfo|error_reporting|set_time_limit|ini_set)\s*\(/,
  'suppressed errors': /(?<![\w'"])@[\w$\\]+\s*(?:\(|->|=|;)/,
  'unprepared queries':
    /->(query|get_var|get_row|get_col|get_results)\((?!\s*\$wpdb->prepare\()(?!.*phpcs:ignore WordPress\.DB\.PreparedSQL)/,
  'raw request input': /\$_(GET|POST|REQUEST|COOKIE|FILES|SERVER|ENV)\b/,
  'URLs of other hosts': /https?:\/\/(?!www\.gnu\.org\/|images\.example\.com)\w/,
  'local addresses': /localhost|127\.0\.0\.1/,
  'public routes': /__return_true/,
  'unescaped output': /\becho\s+(?!esc_|wp_kses|\$fixed \? esc_html)|\b(_e|_ex|printf|vprintf|print)\s*\(|<\?=/,
  'syntax newer than PHP 7.4': /\bmatch\s*\(|\?->|\b(public|private|protected)\s+readonly\b|\benum\s+\w+\s*[:{]|#\[\w/,
  'other text domains':
    /\b(?:(?:__|_e|esc_(?:html|attr)_[_e]|_n|_x\(\s*'(?:[^'\\]|\\.)*',)\(?\s*'(?:[^'\\]|\\.)*')\s*(?:\)|,\s*'(?!imagewright'))/,
};

/** Names in namespaces shared with other plugins, and the prefix they need. */
const NAMES: Record<string, [declaration: RegExp, ours: RegExp]> = {
  classes: [/^\s*(?:final |abstract )?(?:class|interface|trait)\s+(\w+)/gm, /^Imagewright_/],
  functions: [/^function\s+(\w+)/gm, /^imagewright(_|$)/],
  constants: [/\bdefine\( '(\w+)'/g, /^(IMAGEWRIGHT_|FS_CHMOD_FILE$)/],
  'global variables': [/^(?:\t?foreach .*|\t\) )as \$(\w+)/gm, /^imagewright_/],
  'options and metadata': [/\b(?:const (?:META|KEY|SETTINGS|WORK|FAILURE))\s*=\s*'(\w+)'/g, /^_?imagewright/],
  hooks: [
    /\b(?:do_action|apply_filters)\( '([\w-]+)'/g,
    /^(imagewright_|big_image_size_threshold$|https_local_ssl_verify$|wp_content_img_tag$)/,
  ],
  scripts: [/\bwp_(?:enqueue|register)_(?:script|style)\( '([\w-]+)'/g, /^imagewright/],
  routes: [/\bregister_rest_route\(\s*'([\w/]+)'/g, /^imagewright\/v1$/],
};

/** Actions of page caches, which the plugin fires to empty them. */
const THEIRS = [
  'litespeed_purge_all',
  'cache_enabler_clear_site_cache',
  'wpml_post_language_details',
  'wpml_active_languages',
  'wpml_object_id',
];

describe('the PHP files of the plugin', () => {
  it.each(Object.entries(FORBIDDEN))('contain no %s', (_, pattern) => {
    expect(linesWith(pattern)).toEqual([]);
  });

  it.each(EXCEPTIONS)('need the exception of $code: $reason', ({ file, code }) => {
    const lines =
      sources
        .get(file)
        ?.split('\n')
        .filter((line) => line.includes(code)) ?? [];
    expect(lines).toHaveLength(1);
    expect(Object.values(FORBIDDEN).some((pattern) => pattern.test(lines.join()))).toBe(true);
  });

  it(`have at most ${MAX_FILE_LINES} lines, and functions of at most ${MAX_FUNCTION_LINES}`, () => {
    const files = [...sources].filter(([name]) => !name.startsWith('build/'));
    const tooLong = files.filter(([, text]) => text.trimEnd().split('\n').length > MAX_FILE_LINES);
    expect(tooLong.map(([name]) => name)).toEqual([]);
    const lengths = functionLengths();
    expect(lengths.length).toBe(
      files.join('\n').match(/^\t?(?:(?:public|protected|private) (?:static )?)?function \w+/gm)?.length,
    );
    expect(lengths.filter(([, lines]) => lines > MAX_FUNCTION_LINES)).toEqual([]);
  });

  it('are valid PHP', async () => {
    const broken = join(await mkdtemp(join(tmpdir(), 'imagewright-lint-')), 'broken.php');
    onTestFinished(() => rm(dirname(broken), { recursive: true }));
    await writeFile(broken, '<?php\nfunction broken( { }\n');
    const files = [...sources.keys()].map((name) => join(plugin.folder, name));
    expect(files.length).toBeGreaterThan(30);
    expect(await lint(php, files)).toEqual([]);
    expect((await lint(php, [broken])).join()).toMatch(/syntax error.* on line 2/);
  });

  it.each(Object.entries(NAMES))('give their %s the prefix of the plugin', (_, [declaration, ours]) => {
    const names = [...sources].flatMap(([, text]) => [...text.matchAll(declaration)].map(([, name = '']) => name));
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !ours.test(name) && !THEIRS.includes(name))).toEqual([]);
  });

  it('begin with the PHP tag and have no closing tag at the end', () => {
    const odd = [...sources].filter(([, text]) => !text.startsWith('<?php\n') || /\?>\s*$/.test(text));
    expect(odd.map(([name]) => name)).toEqual([]);
  });

  it('translate string literals only, with a translator comment for each placeholder', () => {
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

  it('exit when called outside of WordPress', () => {
    const open = [...sources].filter(
      ([, text]) => !/defined\( '(ABSPATH|WP_UNINSTALL_PLUGIN)' \) \|\| exit;/.test(text),
    );
    expect(open.map(([name]) => name)).toEqual([]);
  });

  it('give every route and ability a permission callback', () => {
    for (const [name, text] of sources) {
      const routes = text.match(/'(methods|execute_callback)'\s*=>/g)?.length ?? 0;
      expect([name, text.match(/'permission_callback'\s*=>/g)?.length ?? 0]).toEqual([name, routes]);
    }
  });

  it('have a plugin header that agrees with readme.txt', async () => {
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
    // Major version and minor version only.
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
    // The name must not contain trademarks or words that the plugin directory refuses.
    expect(`imagewright ${inHeader('Plugin Name')}`).not.toMatch(/wordpress|woo|gutenberg|plugin/i);
  });
});
