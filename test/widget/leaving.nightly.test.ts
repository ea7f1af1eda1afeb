import { beforeAll, describe, expect, it } from 'vitest';
import { plainImages } from '../support/small-images.ts';
import { type OpenOptions, openWidgetRig, text, type WidgetRig, type WidgetTab } from '../support/widget-rig.ts';
import { endSession, textsOf, typeAlt, untilSaved } from './keeping.ts';
import { rows, textOf } from './read-page.ts';

const WORDS = 'A hill at dusk';
const STAGES = [
  'files chosen',
  'uploading',
  'uploaded',
  'describing',
  'text half typed',
  'text saved',
  'sample running',
  'comparison open',
  'exporting',
  'exported',
] as const;
type Stage = (typeof STAGES)[number];

let rig: WidgetRig;

beforeAll(async () => {
  rig = await openWidgetRig();
});

/** Makes the answer of the service stop before its first event. */
const stall = (path: RegExp) => rig.proxy.inject({ kind: 'stall', afterEvents: 0 }, { method: 'POST', path });

/** Opens an element and brings it to a stage, with a text that a person wrote. */
async function reach(stage: Stage): Promise<{ tab: WidgetTab; options: OpenOptions }> {
  const options = { elements: [{ remember: 'test', 'auto-upload': String(stage !== 'files chosen') }] };
  const tab = await rig.open(options);
  tab.page.on('dialog', (dialog) => void dialog.accept().catch(() => {}));
  if (stage === 'files chosen' || stage === 'uploading') {
    if (stage === 'uploading') rig.proxy.inject({ kind: 'hang' }, { method: 'POST', path: /sessions/ });
    await tab.pick(...(await plainImages(2, { width: 64, height: 48 })));
    await tab.widget.locator('[data-text=alt]').first().waitFor();
  } else await tab.upload(2);
  await typeAlt(tab, 0, WORDS);
  if (stage === 'text half typed') return { tab, options };
  if (stage === 'files chosen' || stage === 'uploading' || stage === 'uploaded') {
    await tab.widget.locator('[data-text=alt]').first().press('Enter');
    return { tab, options };
  }
  await untilSaved(tab);
  if (stage === 'describing') {
    stall(/analyze/);
    await tab.widget.locator('button.analyze').click();
    await tab.untilState('analyzing');
  } else if (stage === 'sample running') {
    stall(/sample/);
    await tab.widget.locator('button.sample').click();
    await tab.untilState('sampling');
  } else if (stage === 'comparison open') {
    await tab.widget.locator('button.sample').click();
    await tab.widget.locator('io-compare').waitFor();
  } else if (stage === 'exporting' || stage === 'exported') {
    if (stage === 'exporting') stall(/export/);
    await tab.exportAll();
    await tab.untilState(stage === 'exporting' ? 'exporting' : 'done');
  }
  return { tab, options };
}

/** Interruptions of the work. Each returns the tab in which the page is open afterwards. */
const DISTURBANCES: { [name: string]: (tab: WidgetTab, options: OpenOptions) => Promise<WidgetTab> } = {
  async reload(tab) {
    await tab.page.reload();
    return tab;
  },
  async back(tab) {
    await tab.page.goto(`${rig.test.url}/healthz`);
    await tab.page.goBack();
    return tab;
  },
  // The page runs no more; the browser opens it again with the data that the tab has stored.
  async crash(tab, options) {
    const stored = await tab.page.evaluate(() => JSON.stringify({ ...sessionStorage }));
    const script = `Object.entries(${stored}).forEach(([key, value]) => sessionStorage.setItem(key, value));`;
    return rig.open({ ...options, account: tab.account, script });
  },
  async 'sleep of 10 minutes'(tab) {
    const devtools = await tab.page.context().newCDPSession(tab.page);
    await tab.page.clock.install();
    await devtools.send('Page.setWebLifecycleState', { state: 'frozen' });
    await devtools.send('Page.setWebLifecycleState', { state: 'active' });
    await tab.page.clock.fastForward('10:00');
    return tab;
  },
  async expiry(tab) {
    await endSession(tab);
    await tab.page.reload();
    return tab;
  },
};

describe.each(Object.keys(DISTURBANCES))('%s', (name) => {
  it.each(STAGES)('loses no text that a person wrote: %s', async (stage) => {
    const { tab, options } = await reach(stage);
    const after = await (DISTURBANCES[name] as (typeof DISTURBANCES)[string])(tab, options);
    await expect.poll(async () => Object.values(await textsOf(after))).toContain(WORDS);
    // It is in sight too, and what has lost its file says so.
    const field = after.widget.locator('[data-text=alt]').first();
    await expect.poll(() => field.inputValue()).toBe(WORDS);
    const lost =
      name === 'expiry' || ((stage === 'files chosen' || stage === 'uploading') && name !== 'sleep of 10 minutes');
    if (lost) await expect.poll(() => textOf(rows(after.widget).first())).toContain(text('error.file_gone'));
  });
});
