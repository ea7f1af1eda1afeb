import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium, firefox, type LaunchOptions } from 'playwright-core';
import { openDisplay } from '../browsers/display.ts';

const run = promisify(execFile);
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/imagewright-chromium/', import.meta.url));

/** Paths of browsers, used if neither `CHROME_PATH` nor the package provides one. */
const CHANNELS = ['chrome', 'chromium', 'msedge'];

/** Launches the installed Firefox with a window: without one it has no pointer that hovers. */
async function launchFirefox(options: LaunchOptions): Promise<Browser> {
  const display = await openDisplay();
  const env = { ...process.env, DISPLAY: display.name };
  const executablePath = process.env.FIREFOX_PATH ?? '/usr/bin/firefox-esr';
  // The arguments are Chromium's.
  const own = { args: [], headless: false, channel: 'moz-firefox', executablePath, env };
  const browser = await firefox.launch({ ...options, ...own });
  browser.on('disconnected', display.close);
  return browser;
}

/**
 * Launches the browser that `TEST_BROWSER=firefox` names, else the first of: `CHROME_PATH`, the Chromium of the package @sparticuz/chromium (Linux on x64), an
 * installed Chrome, Chromium or Edge.
 * @throws Error that says what to install when there is none; a test without its browser must not look like a passed one
 */
export async function launchAnyBrowser(options: LaunchOptions): Promise<Browser> {
  if (process.env.TEST_BROWSER === 'firefox') return launchFirefox(options);
  const path = process.env.CHROME_PATH;
  if (path) return chromium.launch({ ...options, executablePath: path });
  const packed = await findPackedChromium();
  if (packed) return chromium.launch({ ...options, ...packed });
  const failures: string[] = [];
  for (const channel of CHANNELS) {
    try {
      return await chromium.launch({ ...options, channel });
    } catch (error) {
      failures.push(`${channel}: ${String(error).split('\n')[0]}`);
    }
  }
  throw new Error(
    `No browser for the tests. Set CHROME_PATH to a Chrome or Chromium (120 or later), or install Chrome.\n${failures.join('\n')}`,
  );
}

/** The package's Chromium, unpacked once per version into node_modules/.cache; undefined where it does not run. */
async function findPackedChromium(): Promise<Pick<LaunchOptions, 'executablePath' | 'env'> | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const manifest = findManifest();
  if (!manifest) return undefined;
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
  const folder = join(CACHE, version);
  const executablePath = join(folder, 'chromium');
  if (!existsSync(executablePath)) await unpack(folder);
  return { executablePath, env: { ...process.env, ...(await environmentFor(folder, executablePath)) } };
}

function findManifest(): string | undefined {
  try {
    return join(createRequire(import.meta.url).resolve('@sparticuz/chromium'), '../../../package.json');
  } catch {
    return undefined;
  }
}

/**
 * The package unpacks into the folder for temporary files, under a name without a version and in place; a process of its
 * own with another such folder, renamed when it is whole, lets several test processes start at once. The variable makes
 * it unpack the libraries that a bare Linux lacks, too.
 */
async function unpack(folder: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const fresh = await mkdtemp(join(CACHE, 'unpacking-'));
  const script = "import chromium from '@sparticuz/chromium'; await chromium.executablePath();";
  try {
    await run(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      env: { ...process.env, TMPDIR: fresh, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' },
    });
    await rename(fresh, folder);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    // Another process was quicker: its copy is as good.
    if (!existsSync(join(folder, 'chromium'))) throw error;
  }
}

/** The machine's own libraries and fonts go first; the package's fill in where there are none. */
async function environmentFor(folder: string, executablePath: string): Promise<NodeJS.ProcessEnv> {
  const { stdout } = await run('ldd', [executablePath]).catch(() => ({ stdout: '' }));
  const libraries = stdout.includes('not found') ? { LD_LIBRARY_PATH: join(folder, 'al2023', 'lib') } : {};
  const fonts = existsSync('/etc/fonts/fonts.conf') ? {} : { FONTCONFIG_PATH: join(folder, 'fonts') };
  return { ...libraries, ...fonts };
}
