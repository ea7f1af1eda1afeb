import { afterAll, beforeAll, expect, it } from 'vitest';
import { printFigures } from '../../bench/support/table.ts';
import { launchBrowser, type TestBrowser } from '../../support/browser.ts';
import { startTestService, type TestAccount, type TestService } from '../../support/service.ts';
import { ISOLATING, openEditor } from '../editor/open-editor.ts';
import { type UploadRound, uploadRound } from '../editor/upload-round.ts';
import { fixture } from '../rig.ts';
import { type Site, startSite } from '../site/site.ts';
import type { SiteUser } from '../site/site-user.ts';

/** `npm run drill:wordpress-editor` does twenty. */
const ROUNDS = Number(process.env.IMAGEWRIGHT_EDITOR_ROUNDS ?? 1);

let site: Site;
let admin: SiteUser;
let browser: TestBrowser;
let service: TestService;
let account: TestAccount;

beforeAll(async () => {
  service = await startTestService();
  account = await service.createAccount({ credits: 1000 });
  site = await startSite({
    ...{ server: 'nginx', database: 'mariadb', version: '7.1', memoryLimit: '128M', host: 'localhost' },
    constants: { IMAGEWRIGHT_URL: service.url, IMAGEWRIGHT_API_KEY: account.apiKey },
  });
  [admin, browser] = await Promise.all([site.logIn(), launchBrowser({ args: ISOLATING })]);
  await site.php(
    'activate_plugin( "imagewright/imagewright.php" ); update_option( "imagewright_settings", $settings );',
    {
      settings: { daily_credits: 0 },
    },
  );
});
afterAll(() => Promise.all([site?.stop(), browser?.close(), service?.close()]));

it('twelve images of all formats are optimized once each, restored and deleted', {
  timeout: ROUNDS * 300_000,
}, async () => {
  const editor = await openEditor(browser, site, admin);
  const rounds: UploadRound[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const done = await uploadRound({ site, admin, account, editor }, round);
    rounds.push(done);
    if (ROUNDS > 1) console.log(`round ${round + 1}: ${JSON.stringify(done)}`);
  }
  print(rounds);
  expect(rounds.flatMap(({ faults }) => faults)).toEqual([]);
  expect(Math.max(...rounds.map(({ slowestState }) => slowestState))).toBeLessThan(2000);
  expect(await site.debugLog()).toBe('');
});

it('HEIC, which neither this browser nor this server can read, leaves nothing and costs nothing', async () => {
  const editor = await openEditor(browser, site, admin);
  const before = { balance: await account.api.balance(), files: await site.uploads() };
  await editor.refuseImage({ name: 'phone.heic', bytes: await fixture('nasty/heic-hevc.heic'), type: 'image/heic' });
  expect(await site.uploads()).toEqual(before.files);
  expect(await account.api.balance()).toBe(before.balance);
  expect(await site.php('return (array) wp_count_attachments();')).toEqual({ trash: '0' });
  expect(await site.debugLog()).toBe('');
});

function print(rounds: UploadRound[]): void {
  const sum = (name: 'images' | 'optimized' | 'noGain' | 'charged' | 'exports' | 'files' | 'beside' | 'gainMaps') =>
    rounds.reduce((all, round) => all + round[name], 0);
  const slowest = Math.max(...rounds.map(({ slowestState }) => slowestState));
  const faults = rounds.reduce((all, round) => all + round.faults.length, 0);
  printFigures(`Uploads through the block editor, ${rounds.length} rounds`, [
    {
      what: 'images',
      measured: `${sum('images')}`,
      target: `${12 * rounds.length}`,
      met: sum('images') === 12 * rounds.length,
    },
    { what: 'exports', measured: `${sum('exports')}`, target: 'one an image', met: sum('exports') === sum('images') },
    { what: 'optimized', measured: `${sum('optimized')}, ${sum('noGain')} without a gain`, target: '' },
    {
      what: 'credits',
      measured: `${sum('charged')}`,
      target: 'one an optimized image',
      met: sum('charged') === sum('optimized'),
    },
    { what: 'files with a smaller one', measured: `${sum('beside')} of ${sum('files')}`, target: '' },
    {
      what: 'files of Ultra HDR with a gain map',
      measured: `${sum('gainMaps')}`,
      target: '> 0',
      met: sum('gainMaps') > 0,
    },
    { what: 'slowest state', measured: `${slowest.toFixed(0)} ms`, target: '< 2000 ms', met: slowest < 2000 },
    { what: 'faults (orphans, differences, console errors)', measured: `${faults}`, target: '0', met: faults === 0 },
  ]);
}
