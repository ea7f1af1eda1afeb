import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type SharedBrowser, sharedBrowser, type Tab } from '../support/browser.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { borrowRig, type Rig, type StoredAttachment } from './rig.ts';
import type { Answer, SiteUser } from './site/site-user.ts';

/** Fixture of a test file, available after the first hook. */
export interface RigOfTests {
  rig: Rig;
  /** The administrator, logged in. */
  admin: SiteUser;
  /** Sends a POST request as the administrator, e.g. `/attachments/1/optimize`. Does not throw on error statuses. */
  post(path: string, body?: unknown): Promise<[status: number, body: Answer]>;
  /** Uploads an image and records its state. */
  upload(name: string, bytes: Uint8Array, type?: string): Promise<Uploaded>;
  /** Expects an attachment and every file of the library to be unchanged. */
  expectAsBefore(uploaded: Uploaded): Promise<void>;
  /** Restores an attachment and expects it and every file to be unchanged. */
  expectRestored(uploaded: Uploaded, body?: object): Promise<void>;
  /** Exports an attachment in the same way as the widget and returns the body of the replacement. */
  exported(id: number, kind: 'export' | 'sample', settings?: object): Promise<ExportOfWidget>;
  /** Deletes an attachment with WordPress. */
  remove(id: number): Promise<void>;
  /** Deletes all attachments and bulk runs. */
  emptyLibrary(): Promise<void>;
  /** Expects no messages in the logs of WordPress and PHP. */
  expectQuietLog(): Promise<void>;
}

/** An attachment as it was uploaded, with the md5 of every file in the library. */
export interface Uploaded {
  id: number;
  before: StoredAttachment;
  checksums: Record<string, string>;
}

/** Body of the widget's request to replace an attachment. */
export interface ExportOfWidget {
  sessionId: string;
  imageId: string;
  sha256: string | undefined;
}

/** Path of the tab of Media > Optimize with the run over the library. */
export const LIBRARY_TAB = 'upload.php?page=imagewright-optimize&tab=library';

/** Opens the menu of an attachment in the media list, and returns its status. */
export async function openMenu(page: Page, id: number) {
  const status = page.locator(`[data-imagewright-id="${id}"]`);
  await status.locator('summary').click(PATIENCE);
  return status;
}

/** Timeouts for admin pages, which may be slow on a busy machine. */
export const PATIENCE = { timeout: PATIENCE_MS };

const EMPTY = `foreach ( get_posts( array( "post_type" => "attachment", "post_status" => "any", "fields" => "ids", "numberposts" => -1 ) ) as $id ) { wp_delete_attachment( $id, true ); }
imagewright()->get( Imagewright_Runs::class )->forget(); delete_option( "imagewright_run_1" );`;

/**
 * Opens the shared service and site before the tests of a file and logs the administrator in. Resets the
 * constants of the site after each test.
 */
export function useRig(options: Parameters<typeof borrowRig>[0] = {}): RigOfTests {
  let started: { rig: Rig; admin: SiteUser } | null = null;
  const rig = whenStarted(() => started?.rig);
  const admin = whenStarted(() => started?.admin);
  beforeAll(async () => {
    const made = await borrowRig(options);
    started = { rig: made, admin: await made.site.logIn() };
  });
  afterEach(() => started?.rig.define({}));
  afterAll(async () => {
    // No test file may leave messages of PHP or WordPress.
    await expectQuietLog();
  });
  async function expectQuietLog() {
    const log = (await started?.rig.site.debugLog()) ?? '';
    expect(log.split('\n').filter((line) => line.includes('imagewright/'))).toEqual([]);
  }

  const post = (path: string, body: unknown = {}) => admin.answer('POST', path, body);
  const expectAsBefore = async ({ id, before, checksums }: Uploaded) => {
    expect(await rig.attachment(id)).toEqual(before);
    expect(await rig.checksums()).toEqual(checksums);
  };
  return {
    rig,
    admin,
    post,
    expectAsBefore,
    async upload(name, bytes, type = 'image/jpeg') {
      const id = await admin.upload(name, bytes, type);
      return { id, before: await rig.attachment(id), checksums: await rig.checksums() };
    },
    async expectRestored(uploaded, body = {}) {
      const answer = await post(`/attachments/${uploaded.id}/restore`, body);
      expect(answer).toMatchObject([200, { restored: true, status: 'none' }]);
      await expectAsBefore(uploaded);
    },
    async exported(id, kind, settings = {}) {
      const made = await admin.json<{ sessionId: string; image: { id: string } }>(
        'POST',
        `/attachments/${id}/attach`,
        {},
      );
      const wanted = await admin.json('GET', `/export-settings?ids[]=${id}`);
      const stream = await admin.call('POST', `/service/v1/sessions/${made.sessionId}/${kind}`, {
        images: [{ id: made.image.id }],
        settings: { ...wanted, ...settings },
      });
      const sha256 = /"variants":.*?"sha256":"([0-9a-f]{64})"/.exec(await stream.text())?.[1];
      return { sessionId: made.sessionId, imageId: made.image.id, sha256 };
    },
    remove: (id) => rig.site.php('wp_delete_attachment( $id, true );', { id }),
    emptyLibrary: () => rig.site.php(EMPTY),
    expectQuietLog,
  };
}

/**
 * Launches the shared browser before the tests of a file. `openPage` opens an admin page as the administrator, after
 * `prepare` has been called with the empty page.
 */
export function useBrowser({ rig, admin }: RigOfTests) {
  let launched: SharedBrowser | null = null;
  const browser = whenStarted(() => launched);
  beforeAll(async () => {
    launched = await sharedBrowser();
  });
  return {
    browser,
    async openPage(path = 'upload.php?page=imagewright-optimize', prepare?: (page: Page) => unknown): Promise<Tab> {
      const tab = await browser.open();
      await tab.context.addCookies(admin.cookies);
      await prepare?.(tab.page);
      await tab.page.goto(`${rig.site.url}/wp-admin/${path}`, PATIENCE);
      return tab;
    },
  };
}

/** Proxies an object that a hook creates later. */
function whenStarted<T extends object>(get: () => T | null | undefined): T {
  return new Proxy({} as T, {
    get(_, name) {
      const thing = get();
      if (!thing) throw new Error(`${String(name)} is not there before the first hook`);
      return Reflect.get(thing, name);
    },
  });
}
