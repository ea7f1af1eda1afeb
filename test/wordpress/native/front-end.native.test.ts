import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedService } from '../../support/shared-service.ts';
import { comparePage, type PageNeeds, publishImages } from '../scale/front-end.ts';
import { prepareMeasuring } from '../scale/measure.ts';
import { type Site, startSite } from '../site/site.ts';
import type { SiteUser } from '../site/site-user.ts';

/** Images of the page. */
const COUNT = 30;
/** Goal in milliseconds. Runs on two busy cores were on both sides of it (0.5 to 3.0), so it is printed and not asserted. */
const GOAL = 2;
/** Share of WordPress's own time that shows a regression: before few classes were loaded it was 0.13. */
const MAX_SHARE = 0.1;

let site: Site;
let admin: SiteUser;
let page: { url: string; ids: number[] };
let before: Record<'with' | 'without', PageNeeds>;

beforeAll(async () => {
  site = await startSite({ server: 'nginx', database: 'mariadb', version: '7.1', memoryLimit: '128M' });
  admin = await site.logIn();
  await prepareMeasuring(site);
  await site.php('return activate_plugin( "imagewright/imagewright.php" );');
  const service = await sharedService();
  const account = await service.createAccount({ credits: 2 * COUNT });
  await site.define({ IMAGEWRIGHT_URL: service.url, IMAGEWRIGHT_API_KEY: account.apiKey });
  await site.php('update_option( "imagewright_settings", array( "auto" => false ) );');
  page = await publishImages(site, admin, COUNT);
  before = await comparePage(page.url, 100);
  console.table({ 'without the plugin': before.without, 'nothing optimized': before.with });
});
afterAll(() => site?.stop());

describe.each(['beside', 'replace'] as const)(`a page with ${COUNT} images, optimized %s`, (delivery) => {
  it('needs no query more and hardly any time', async () => {
    await site.php('update_option( "imagewright_settings", array( "auto" => false, "delivery" => $delivery ) );', {
      delivery,
    });
    for (const id of page.ids) {
      if (delivery === 'replace') await admin.json('POST', `/attachments/${id}/restore`, {});
      await admin.json('POST', `/attachments/${id}/optimize`, {});
    }
    const after = await comparePage(page.url, 100);
    console.table({ [delivery]: after.with, 'without the plugin': after.without });
    expect(after.with).toMatchObject({ queries: before.without.queries, optimized: COUNT });
    const added = after.with.milliseconds - after.without.milliseconds;
    console.log(`${delivery}: ${added.toFixed(1)} ms added, goal ${GOAL} ms ${added < GOAL ? 'met' : 'MISSED'}`);
    expect(added).toBeLessThan(MAX_SHARE * after.without.milliseconds);
  });
});
