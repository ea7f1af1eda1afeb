// `npm run test:browsers`: the ways through the dashboard and WordPress in WebKit, then tests of pages in Firefox. Says loudly what is absent.
// Arguments choose other tests for Firefox, e.g. `-- test/widget`; without any the short part runs.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { absentForWebKit } from './webkit.ts';

const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
/** Pages whose behaviour has differed between engines. */
const SHORT = [
  'test/browsers/no-cookies.test.ts',
  'test/account-api/browser.test.ts',
  'test/widget/elements/changed-files.test.ts',
  'test/widget/elements/menu-place.test.ts',
];

const absentForFirefox = [process.env.FIREFOX_PATH ?? '/usr/bin/firefox-esr', '/usr/bin/Xvfb'].filter(
  (path) => !existsSync(path),
);
const chosen = process.argv.slice(2);

const inWebKit = run('WebKit', absentForWebKit(), ['--mode', 'browsers'], {});
const inFirefox = run('Firefox', absentForFirefox, chosen.length > 0 ? chosen : SHORT, { TEST_BROWSER: 'firefox' });
process.exitCode = inWebKit || inFirefox;

function run(engine: string, absent: string[], args: string[], more: NodeJS.ProcessEnv): number {
  if (absent.length > 0) {
    const how = 'on Debian: apt-get install firefox-esr webkit2gtk-driver xvfb dbus';
    console.warn(`\nSKIPPED: nothing is tested in ${engine}, since ${absent.join(', ')} is absent (${how})\n`);
    return process.env.BROWSERS_REQUIRED ? 1 : 0;
  }
  console.log(`== ${engine}`);
  const env = { ...process.env, ...more };
  return spawnSync(process.execPath, [VITEST, 'run', ...args], { stdio: 'inherit', env }).status ?? 1;
}
