import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SharedBrowser, sharedBrowser } from '../../support/browser.ts';
import { type BuiltPages, buildPages } from '../pages/build-pages.ts';
import { losses, weighPages, weightTable } from '../pages/weigh-pages.ts';
import { type Site, startSite } from '../site/site.ts';
import type { SiteUser } from '../site/site-user.ts';
import { PATIENCE } from '../use-rig.ts';

interface Built extends BuiltPages {
  site: Site;
  admin: SiteUser;
}

let browser: SharedBrowser;
const SERVERS = ['nginx', 'apache', 'php'] as const;
type Server = (typeof SERVERS)[number];
const built: Partial<Record<Server, Built>> = {};
const at = (server: Server) => built[server] as Built;

beforeAll(async () => {
  browser = await sharedBrowser();
  for (const server of SERVERS) {
    const site = await startSite({
      server,
      database: server === 'php' ? 'sqlite' : 'mariadb',
      version: '7.1',
      memoryLimit: '128M',
    });
    const admin = await site.logIn();
    built[server] = { site, admin, ...(await buildPages(site, admin)) };
  }
});
afterAll(() => Promise.all(Object.values(built).map(({ site }) => site.stop())));

it('weighs the pages of WordPress the same on each server, and twice the same', async () => {
  const first = await weighPages(browser.browser, at('nginx').pages);
  console.log(weightTable(first));
  for (const { failed, blank, images, bytes } of Object.values(first)) {
    expect({ failed, blank }).toEqual({ failed: [], blank: [] });
    expect(images.length).toBeGreaterThan(0);
    expect(bytes).toBeGreaterThan(20_000);
  }
  expect(await weighPages(browser.browser, at('nginx').pages)).toEqual(first);
  expect(await weighPages(browser.browser, at('apache').pages)).toEqual(first);
  expect(await weighPages(browser.browser, at('php').pages)).toEqual(first);
  expect(await at('nginx').site.debugLog()).toBe('');
});

it('finds what visitors lose when a plugin takes attributes away, and nothing when it takes none', async () => {
  const { site, pages } = at('nginx');
  const some = { classic: pages.classic, mediaAndText: pages.mediaAndText };
  const before = await weighPages(browser.browser, some);
  await site.php('return activate_plugin( "imagewright/imagewright.php" );');
  expect(losses(before, await weighPages(browser.browser, some))).toEqual([]);

  await site.addMuPlugin(fileURLToPath(new URL('without-srcset.php', import.meta.url)));
  const found = losses(before, await weighPages(browser.browser, some));
  expect(found).toContain('classic phone: srcset 5 became 0');
  expect(found).toContainEqual(expect.stringMatching(/^mediaAndText phone: \d+ bytes became \d+$/));
  expect(found).toContainEqual(
    expect.stringMatching(/^mediaAndText phone: .*nuthatch-\d+x\d+.jpg \d+ became .*-scaled/),
  );
});

it('has the content that the block editor would save', async () => {
  const { site, admin } = at('nginx');
  const ids = await site.php<number[]>('return get_posts( array( "numberposts" => -1, "fields" => "ids" ) );');
  const { page, context } = await browser.open();
  await context.addCookies(admin.cookies);
  await page.goto(`${site.url}/wp-admin/post-new.php`, PATIENCE);
  await page.waitForFunction(
    () => 'wp' in window && document.querySelector('.editor-editor-interface, .edit-post-layout'),
  );
  for (const id of ids) {
    const content = await site.php<string>('return get_post( $id )->post_content;', { id });
    const invalid = await page.evaluate((text) => {
      type Block = { name: string; isValid: boolean; originalContent: string; innerBlocks: Block[] };
      const { blocks } = (window as unknown as { wp: { blocks: { parse(text: string): Block[] } } }).wp;
      const flat = (list: Block[]): Block[] => list.flatMap((block) => [block, ...flat(block.innerBlocks)]);
      return flat(blocks.parse(text))
        .filter(({ isValid }) => !isValid)
        .map(({ name, originalContent }) => `${name}: ${originalContent}`);
    }, content);
    expect(invalid).toEqual([]);
  }
});
