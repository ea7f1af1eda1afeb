import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { EDITOR_NOISE, hideGuide, type WordPressEditor } from './editor/open-editor.ts';
import { photograph } from './rig.ts';
import { PATIENCE, useBrowser, useRig } from './use-rig.ts';

const rigOfTests = useRig({ delivery: 'beside' });
const { rig, admin, emptyLibrary } = rigOfTests;
const { openPage } = useBrowser(rigOfTests);

/** Calls a function with the scripts of WordPress, in the page. */
const inEditor = <T, Input>(page: Page, call: (wp: WordPressEditor, input: Input) => T, input?: Input) =>
  page.evaluate(`(${call})(window.wp, ${JSON.stringify(input ?? null)})`) as Promise<T>;

it('the block editor shows the state of an image, and a decorative use survives saving', async () => {
  const id = await admin.upload('hill.jpg', await photograph(900), 'image/jpeg');
  const image = await admin.json<{ url: string }>('GET', `/attachments/${id}`);
  await hideGuide(rig.site);
  const { page, expectQuiet } = await openPage('post-new.php');
  await page.locator('.editor-post-title, iframe[name=editor-canvas]').first().waitFor(PATIENCE);
  await inEditor(
    page,
    (wp, attributes) => {
      wp.data.dispatch('core/editor').editPost({ title: 'A hill' });
      wp.data.dispatch('core/block-editor').insertBlocks([wp.blocks.createBlock('core/image', attributes)]);
      wp.data.dispatch('core/edit-post').openGeneralSidebar('edit-post/block');
    },
    { id, url: image.url },
  );
  const panel = page.locator('.imagewright-panel');
  await panel.getByText('Not optimized').waitFor(PATIENCE);
  await panel.getByRole('button', { name: 'Optimize (1 credit)' }).click(PATIENCE);
  await panel.locator('[data-state=optimized]').waitFor(PATIENCE);
  // The service has no model: it is said, and there is no button that would write nothing.
  await panel.getByText('has no model that describes images').waitFor(PATIENCE);
  expect(await panel.getByRole('button', { name: 'Describe' }).count()).toBe(0);
  await panel.getByRole('button', { name: 'Restore the original' }).click(PATIENCE);
  await panel.locator('[data-state=none]').waitFor(PATIENCE);

  await page.getByRole('button', { name: 'Publish', exact: true }).click(PATIENCE);
  const list = page.locator('.imagewright-pre-publish');
  await list.getByText('Images without alternative text: 1').waitFor(PATIENCE);
  await list.getByRole('button', { name: 'Decorative' }).click(PATIENCE);
  await list.getByText('Every image has an alternative text').waitFor(PATIENCE);
  const post = await inEditor(page, async (wp) => {
    await wp.data.dispatch('core/editor').savePost();
    return wp.data.select('core/editor').getCurrentPostId();
  });
  expect(await rig.site.php('return get_post( $post )->post_content;', { post })).toContain('"isDecorative":true');
  await page.goto(`${rig.site.url}/wp-admin/post.php?post=${post}&action=edit`, PATIENCE);
  await page.locator('.editor-post-title, iframe[name=editor-canvas]').first().waitFor(PATIENCE);
  const [block] = await inEditor(page, (wp) => wp.data.select('core/block-editor').getBlocks());
  expect(block).toMatchObject({ isValid: true, attributes: { id, isDecorative: true } });
  expectQuiet(EDITOR_NOISE);
  await emptyLibrary();
});
