import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchBrowser, type TestBrowser } from '../../support/browser.ts';
import { type FakeVisionServer, GOOD_ANSWER, startFakeVisionServer } from '../../support/fake-vision-server.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { EDITOR_NOISE, ISOLATING, openEditor, type WordPressEditor } from '../editor/open-editor.ts';
import { photograph } from '../rig.ts';
import { type Site, startSite } from '../site/site.ts';
import type { SiteUser } from '../site/site-user.ts';
import { PATIENCE } from '../use-rig.ts';

let site: Site;
let admin: SiteUser;
let browser: TestBrowser;
let service: TestService;
let vision: FakeVisionServer;

beforeAll(async () => {
  vision = await startFakeVisionServer();
  const model = { AI_PROVIDER: 'openai-compatible', AI_BASE_URL: vision.url, AI_MODEL: 'fake', AI_CANARY: 'off' };
  service = await startTestService({ ...model, ANALYSIS_CREDITS: '2' });
  const { apiKey } = await service.createAccount({ credits: 100 });
  site = await startSite({
    ...{ server: 'nginx', database: 'mariadb', version: '7.1', memoryLimit: '128M', host: 'localhost' },
    constants: { IMAGEWRIGHT_URL: service.url, IMAGEWRIGHT_API_KEY: apiKey },
  });
  [admin, browser] = await Promise.all([site.logIn(), launchBrowser({ args: ISOLATING })]);
  await site.php('return activate_plugin( "imagewright/imagewright.php" );');
});
afterAll(() => Promise.all([site?.stop(), browser?.close(), service?.close(), vision?.close()]));

it('the panel of an image shows its state within two seconds, and describes it for the page', async () => {
  const editor = await openEditor(browser, site, admin);
  const { page } = editor;
  await page.evaluate(() => {
    const { wp } = window as unknown as { wp: WordPressEditor };
    wp.data.dispatch('core/editor').editPost({ title: 'Spring in the city' });
    const block = (name: string, content: string) => wp.blocks.createBlock(name, { content });
    wp.data
      .dispatch('core/block-editor')
      .insertBlocks([
        block('core/heading', 'Bicycles'),
        block('core/paragraph', 'My <b>grandfather</b> & his bicycle'),
      ]);
  });
  const id = await editor.insertImage({ name: 'wall.jpg', bytes: await photograph(900), type: 'image/jpeg' });
  const panel = page.locator('.imagewright-panel');
  const inWork = '[data-state=queued], [data-state=working], [data-state=optimized]';
  await panel.locator(inWork).waitFor({ timeout: 2000 });
  await panel.locator('[data-state=optimized]').waitFor(PATIENCE);
  expect(await panel.locator('[role=status]').innerText()).toMatch(/^Optimized: .+ to .+ smaller$/);
  await panel.getByText('No alternative text.').waitFor(PATIENCE);

  await panel.getByRole('button', { name: 'Describe (credits: 2)' }).click(PATIENCE);
  await panel.getByText('Written by AI, not confirmed yet.').waitFor(PATIENCE);
  await shoot(page, 'panel');
  const words = vision.questions().at(-1)?.words ?? '';
  for (const part of ['Page: Spring in the city', 'Section: Bicycles', 'Text before: My grandfather & his bicycle']) {
    expect(words).toContain(part);
  }
  await panel.getByRole('button', { name: 'Confirm the text' }).click(PATIENCE);
  await panel.getByText('Written by AI, confirmed by admin.').waitFor(PATIENCE);
  expect((await admin.json('GET', `/attachments/${id}`)).alt).toBe(GOOD_ANSWER.alt);

  await panel.getByRole('button', { name: 'Restore the original' }).click(PATIENCE);
  await panel.locator('[data-state=none]').waitFor(PATIENCE);
  editor.expectQuiet(EDITOR_NOISE);
  expect(await site.debugLog()).toBe('');
});

it('before a post is published, its images without a text are listed, described or marked as decorative', async () => {
  const editor = await openEditor(browser, site, admin);
  const { page } = editor;
  const images = [];
  for (const name of ['one.jpg', 'two.jpg', 'three.jpg', 'four.jpg']) {
    const id = await admin.upload(name, await photograph(500), 'image/jpeg');
    images.push(await admin.json<{ id: number; url: string }>('GET', `/attachments/${id}`));
  }
  await page.evaluate((all) => {
    const { wp } = window as unknown as { wp: WordPressEditor };
    const [one, two, three, four] = all;
    const { createBlock } = wp.blocks;
    const inner = [createBlock('core/image', three ?? {})];
    wp.data.dispatch('core/editor').editPost({ title: 'Four images' });
    wp.data
      .dispatch('core/block-editor')
      .insertBlocks([
        createBlock('core/cover', one ?? {}),
        createBlock('core/media-text', { mediaId: two?.id, mediaUrl: two?.url, mediaType: 'image' }),
        createBlock('core/gallery', {}, inner),
        createBlock('core/image', { ...four, alt: 'A text of a person' }),
      ]);
  }, images);
  await page.getByRole('button', { name: 'Publish', exact: true }).click(PATIENCE);
  const list = page.locator('.imagewright-pre-publish');
  await list.getByText('Images without alternative text: 3').waitFor(PATIENCE);
  await shoot(page, 'pre-publish');
  vision.answer = { ...GOOD_ANSWER, alt: 'Mountains in the morning' };
  await list.getByRole('listitem').filter({ hasText: 'two' }).getByRole('button', { name: 'Describe' }).click(PATIENCE);
  await list.getByText('Images without alternative text: 2').waitFor(PATIENCE);
  await list
    .getByRole('listitem')
    .filter({ hasText: 'one' })
    .getByRole('button', { name: 'Decorative' })
    .click(PATIENCE);
  await list.getByText('Images without alternative text: 1').waitFor(PATIENCE);
  await list.getByRole('listitem').filter({ hasText: 'three' }).getByRole('button', { name: 'Show' }).click(PATIENCE);
  const blocks = await page.evaluate(() => {
    const { wp } = window as unknown as { wp: WordPressEditor };
    const selected = wp.data.select('core/block-editor').getSelectedBlock();
    return { selected, all: wp.data.select('core/block-editor').getBlocks() };
  });
  expect(blocks.selected.attributes).toMatchObject({ id: images[2]?.id });
  expect(blocks.all.map(({ attributes: { alt, mediaAlt, isDecorative } }) => [alt, mediaAlt, isDecorative])).toEqual([
    ['', undefined, true],
    [undefined, 'Mountains in the morning', undefined],
    [undefined, undefined, undefined],
    ['A text of a person', undefined, false],
  ]);
  await page.getByRole('button', { name: 'Cancel' }).click(PATIENCE);
  for (const [index, name] of ['cover', 'media-text', 'gallery'].entries()) {
    await page.evaluate((at) => {
      const { wp } = window as unknown as { wp: WordPressEditor };
      const block = wp.data.select('core/block-editor').getBlocks()[at];
      wp.data.dispatch('core/block-editor').selectBlock(block?.clientId ?? '');
    }, index);
    await page.locator('.imagewright-panel [data-state]').first().waitFor(PATIENCE);
    await shoot(page, name);
  }
  editor.expectQuiet(EDITOR_NOISE);
  expect(await site.debugLog()).toBe('');
});

it('abilities of WordPress show the state, name the cost, optimize, restore and describe', async () => {
  await site.createUser('aut', 'author');
  await site.createUser('sub', 'subscriber');
  const run = async (user: SiteUser, name: string, method: string, input?: Record<string, unknown>) => {
    const query = new URLSearchParams(
      Object.entries(input ?? {}).map(([key, value]) => [`input[${key}]`, String(value)]),
    );
    const response = await fetch(`${abilities()}/imagewright/${name}/run${method === 'GET' ? `?${query}` : ''}`, {
      ...{ method, headers: { Cookie: user.cookie, 'X-WP-Nonce': user.nonce, 'Content-Type': 'application/json' } },
      ...(method === 'POST' && { body: JSON.stringify({ input }) }),
    });
    return [response.status, await response.json()] as const;
  };
  const abilities = () => `${site.url}/wp-json/wp-abilities/v1/abilities`;
  const listed = await fetch(`${abilities()}?per_page=100`, {
    headers: { Cookie: admin.cookie, 'X-WP-Nonce': admin.nonce },
  });
  const own = ((await listed.json()) as { name: string }[])
    .map(({ name }) => name)
    .filter((name) => /^imagewright\//.test(name));
  expect(own.sort()).toEqual(
    ['cost', 'describe', 'optimize', 'restore', 'status'].map((name) => `imagewright/${name}`),
  );

  await site.php('update_option( "imagewright_settings", array( "auto" => false ) );');
  const id = await admin.upload('ability.jpg', await photograph(800), 'image/jpeg');
  expect(await run(admin, 'cost', 'GET', { 'ids][': id })).toMatchObject([200, { images: 1, cost: 1 }]);
  expect(await run(admin, 'optimize', 'POST', { id })).toMatchObject([200, { status: 'optimized' }]);
  const [, { optimized, balance }] = await run(admin, 'status', 'GET');
  expect([optimized, balance]).toEqual([expect.any(Number), expect.any(Number)]);
  vision.answer = { ...GOOD_ANSWER, alt: 'Mountains of an ability' };
  expect(await run(admin, 'describe', 'POST', { id, context: 'A page about hiking' })).toMatchObject([
    200,
    { alt: 'Mountains of an ability', by: 'ai', saved: true },
  ]);
  expect(vision.questions().at(-1)?.words).toContain('A page about hiking');
  expect(await run(admin, 'optimize', 'POST', { id, format: 'bmp' })).toMatchObject([400, {}]);
  for (const name of ['aut', 'sub']) {
    const user = await site.logIn(name, name);
    for (const ability of ['optimize', 'restore', 'describe'])
      expect((await run(user, ability, 'POST', { id }))[0]).toBe(403);
    expect((await run(user, 'status', 'GET'))[0]).toBe(name === 'aut' ? 200 : 403);
  }
  expect(await run(admin, 'restore', 'POST', { id })).toMatchObject([200, { status: 'none' }]);
  expect(await site.debugLog()).toBe('');
});

/** Saves a picture of the page, to be looked at, if a folder is given. */
async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env.IMAGEWRIGHT_SCREENSHOTS;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
}
