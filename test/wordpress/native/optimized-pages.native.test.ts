import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SharedBrowser, sharedBrowser } from '../../support/browser.ts';
import { sharedService } from '../../support/shared-service.ts';
import { type BuiltPages, buildPages } from '../pages/build-pages.ts';
import { oracle } from '../pages/oracle.ts';
import { losses, sumOf, type Weights, weighPages, weightTable } from '../pages/weigh-pages.ts';
import { type Site, startSite } from '../site/site.ts';
import type { SiteUser } from '../site/site-user.ts';
import type { Snapshot } from '../site/snapshot.ts';

/** Ways to deliver, and the share of the bytes above which a way is worse than it was. */
const WAYS = [
  ['beside', 0.75],
  ['replace', 0.8],
] as const;

describe.each(['nginx', 'apache', 'php'] as const)('pages of a site behind %s', (server) => {
  let site: Site;
  let admin: SiteUser;
  let browser: SharedBrowser;
  let built: BuiltPages;
  let before: Weights;
  let snapshot: Snapshot;

  beforeAll(async () => {
    browser = await sharedBrowser();
    const database = server === 'php' ? 'sqlite' : 'mariadb';
    site = await startSite({ server, database, version: '7.1', memoryLimit: '128M' });
    admin = await site.logIn();
    built = await buildPages(site, admin);
    before = await weighPages(browser.browser, built.pages);
    snapshot = await site.takeSnapshot();
  }, 300_000);
  afterAll(() => site?.stop());

  describe.each(WAYS)('with the delivery %s', (delivery, limit) => {
    beforeAll(async () => {
      await snapshot.restore();
      const service = await sharedService();
      const account = await service.createAccount({ credits: 100 });
      await site.define({ IMAGEWRIGHT_URL: service.url, IMAGEWRIGHT_API_KEY: account.apiKey });
      await site.php('return activate_plugin( "imagewright/imagewright.php" );');
      await site.php('update_option( "imagewright_settings", array( "delivery" => $delivery ) );', { delivery });
      // An image of which nothing becomes smaller is refused when it would be replaced.
      for (const { id } of Object.values(built.pictures)) {
        const [status, answer] = await admin.answer('POST', `/attachments/${id}/optimize`, {});
        if (status !== 200) expect(answer.code).toBe('imagewright_not_smaller');
      }
    }, 300_000);

    it('weigh less, and nothing that visitors see or need becomes worse', { timeout: 300_000 }, async () => {
      const after = await weighPages(browser.browser, built.pages);
      const [share, best] = [sumOf(after) / sumOf(before), await oracle(site, before)];
      const title = `${server}, ${delivery}: ${share.toFixed(3)}, at best ${best.toFixed(3)}`;
      console.log(`${weightTable(after, before)}\n${title}`);
      expect(losses(before, after)).toEqual([]);
      expect(share).toBeLessThan(limit);
      // The SQLite integration is older than this PHP.
      const log = (await site.debugLog()).split('\n').filter((line) => line && !line.includes('/sqlite-'));
      expect(log).toEqual([]);
    });

    it('show every image as soon as the plugin is switched off', { timeout: 300_000 }, async () => {
      await site.php('deactivate_plugins( "imagewright/imagewright.php" );');
      const after = await weighPages(browser.browser, built.pages);
      console.log(`${server}, ${delivery}, switched off: ${(sumOf(after) / sumOf(before)).toFixed(3)}`);
      const broken = Object.values(after).flatMap(({ failed, blank }) => [...failed, ...blank]);
      expect(broken).toEqual([]);
      if (delivery === 'beside') expect(after).toEqual(before);
    });
  });
});
