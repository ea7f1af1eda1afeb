import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SharedBrowser, sharedBrowser } from '../../support/browser.ts';
import type { TestAccount } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { type BuiltPages, buildPages } from '../pages/build-pages.ts';
import { oracle } from '../pages/oracle.ts';
import { losses, sumOf, type Weights, weighPages, weightTable } from '../pages/weigh-pages.ts';
import { type Site, startSite } from '../site/site.ts';
import type { SiteUser } from '../site/site-user.ts';

describe.each(['nginx', 'apache'] as const)(
  'pages of a site behind %s whose images lie beside their originals',
  (server) => {
    let site: Site;
    let admin: SiteUser;
    let account: TestAccount;
    let browser: SharedBrowser;
    let built: BuiltPages;
    let before: Weights;

    beforeAll(async () => {
      browser = await sharedBrowser();
      const service = await sharedService();
      account = await service.createAccount({ credits: 100 });
      site = await startSite({ server, database: 'mariadb', version: '7.1', memoryLimit: '128M' });
      admin = await site.logIn();
      built = await buildPages(site, admin);
      before = await weighPages(browser.browser, built.pages);
      await site.define({ IMAGEWRIGHT_URL: service.url, IMAGEWRIGHT_API_KEY: account.apiKey });
      await site.php('return activate_plugin( "imagewright/imagewright.php" );');
      for (const { id } of Object.values(built.pictures)) await admin.json('POST', `/attachments/${id}/optimize`, {});
    }, 300_000);
    afterAll(() => site?.stop());

    it('weigh less, and nothing that visitors see or need becomes worse', { timeout: 300_000 }, async () => {
      const after = await weighPages(browser.browser, built.pages);
      const [share, best] = [sumOf(after) / sumOf(before), await oracle(site, before)];
      console.log(`${weightTable(after, before)}\n${server}: ${share.toFixed(3)}, at best ${best.toFixed(3)}`);
      expect(losses(before, after)).toEqual([]);
      expect(share).toBeLessThan(0.75);
      expect(await site.debugLog()).toBe('');
    });

    it('weigh as before as soon as the plugin is switched off', { timeout: 300_000 }, async () => {
      await site.php('deactivate_plugins( "imagewright/imagewright.php" );');
      expect(await weighPages(browser.browser, built.pages)).toEqual(before);
    });
  },
);
