import { beforeAll, describe, expect, it } from 'vitest';
import { plainImages } from '../../support/small-images.ts';
import { openWidgetRig, text, type WidgetRig, type WidgetTab } from '../../support/widget-rig.ts';
import { field, rows } from '../read-page.ts';
import { focused } from './elements-rig.ts';
import { analyze } from './review-rig.ts';

let rig: WidgetRig;
beforeAll(async () => {
  rig = await openWidgetRig();
});

/** Presses a button of a row by the keyboard, and waits until it is gone. */
async function pressUntilGone(tab: WidgetTab, name: string, row = rows(tab.widget).nth(1)): Promise<void> {
  const button = row.getByRole('button', { name, exact: true });
  await button.focus();
  await tab.page.keyboard.press('Enter');
  await button.waitFor({ state: 'detached' });
}

/** Answers all requests of a method and path with an error status until `rig.proxy.reset()`. */
function refuse(status: number, method: string, path: RegExp): void {
  rig.proxy.inject({ kind: 'answer', status, json: { error: 'no', code: 'no' } }, { method, path, times: 99 });
}

describe('the focus stays near a button that goes when it is pressed', () => {
  it('in a row: the button that accepts its texts, and the one that saves them again', async () => {
    const tab = await rig.open();
    await tab.upload(2);
    await analyze(tab);
    await pressUntilGone(tab, text('select.accept'));
    await expect.poll(() => focused(tab)).toBe('#1 more');

    refuse(400, 'PATCH', /images/);
    const alt = field(rows(tab.widget).nth(1), 'alt');
    await alt.fill('A text');
    await alt.press('Enter');
    await rows(tab.widget).nth(1).getByText(text('row.unsaved')).waitFor();
    rig.proxy.reset();
    await pressUntilGone(tab, text('action.retry'));
    await expect.poll(() => focused(tab)).toBe('#1 more');
  });

  it('in a row and in the toolbar: the button that uploads again', async () => {
    const tab = await rig.open({ elements: [{ retries: '1' }] });
    refuse(500, 'POST', /sessions/);
    await tab.pick(...(await plainImages(2)));
    await expect.poll(() => rows(tab.widget).locator('[part~=row-error]').count()).toBe(2);
    rig.proxy.reset();
    await pressUntilGone(tab, text('row.retry', { name: 'picture-1.png' }));
    await expect.poll(() => focused(tab)).toBe('#1 more');
    await tab.untilState('ready');

    await tab.button(text('notice.dismiss')).click();
    await pressUntilGone(tab, text('toolbar.retry', { count: 1 }), tab.widget);
    await expect.poll(() => focused(tab)).not.toBe('');
  });
});
