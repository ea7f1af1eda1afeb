import { beforeAll, describe, expect, it } from 'vitest';
import { plainImages } from '../support/small-images.ts';
import { openWidgetRig, text, type WidgetRig } from '../support/widget-rig.ts';
import { endSession, textsOf, typeAlt, untilSaved } from './keeping.ts';
import { rows, textOf } from './read-page.ts';

describe('the work of an editor', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  it('belongs to a session that listeners know with the first upload', async () => {
    const script = `document.addEventListener('io-upload', ({ target }) => (window.known = target.sessionId));`;
    const tab = await rig.open({ script });
    await tab.upload(1);
    expect(await tab.page.evaluate(() => (window as unknown as { known: string }).known)).toMatch(/^sess_/);
  });

  it('is there again after a reload, also after a single upload and in the middle of a word', async () => {
    const tab = await rig.open({ elements: [{ remember: 'test' }] });
    await tab.upload(1);
    await typeAlt(tab, 0, 'A hill');
    await tab.page.reload({ waitUntil: 'load' });
    await tab.untilState('ready');
    await expect.poll(() => textsOf(tab)).toEqual({ 'picture-0.png': 'A hill' });
  });

  it('is not left without a question while files are on their way, and without one afterwards', async () => {
    const tab = await rig.open({ elements: [{ remember: 'test' }] });
    const requests: string[] = [];
    tab.page.on('dialog', (dialog) => {
      requests.push(dialog.type());
      void dialog.accept();
    });
    rig.proxy.inject({ kind: 'hang' }, { method: 'POST', path: /sessions/ });
    await tab.pick(...(await plainImages(1)));
    await tab.untilState('uploading');
    // A page that nobody has touched is left without a question.
    await tab.page.mouse.click(5, 5);
    await tab.page.reload();
    expect(requests).toEqual(['beforeunload']);
    await tab.upload(1);
    await tab.page.mouse.click(5, 5);
    await tab.page.reload();
    expect(requests).toEqual(['beforeunload']);
  });

  it('goes on in a new session when the old one has ended, with all texts', async () => {
    const tab = await rig.open({ elements: [{ remember: 'test' }] });
    await tab.upload(2);
    await typeAlt(tab, 0, 'A hill');
    await untilSaved(tab);
    await endSession(tab);
    await typeAlt(tab, 1, 'A lake');
    await tab.widget.locator('[data-text=alt]').nth(1).press('Enter');
    const notice = tab.widget.locator('.notice');
    await expect.poll(() => notice.textContent()).toContain(text('notice.expired', { hours: 24 }));
    await tab.button(text('notice.renew')).click();
    await tab.untilState('ready');
    expect(await textsOf(tab)).toEqual({ 'picture-0.png': 'A hill', 'picture-1.png': 'A lake' });
    await untilSaved(tab);
    await tab.page.reload();
    await tab.untilState('ready');
    expect(await textsOf(tab)).toEqual({ 'picture-0.png': 'A hill', 'picture-1.png': 'A lake' });
  });

  it('waits for its files if a reload finds the session ended, and adding one again makes no double', async () => {
    const tab = await rig.open({ elements: [{ remember: 'test' }] });
    const images = await plainImages(2);
    await tab.pick(...images);
    await expect.poll(async () => (await tab.events('io-upload')).length).toBe(2);
    await typeAlt(tab, 0, 'A hill');
    await untilSaved(tab);
    await endSession(tab);
    await tab.page.reload();
    await expect.poll(() => textsOf(tab)).toEqual({ 'picture-0.png': 'A hill' });
    await expect.poll(() => textOf(rows(tab.widget).first())).toContain(text('error.file_gone'));
    await tab.pick(...images);
    await expect.poll(async () => (await tab.events('io-upload')).length).toBe(2);
    await expect.poll(() => textsOf(tab)).toEqual({ 'picture-0.png': 'A hill', 'picture-1.png': null });
    await tab.page.reload();
    await tab.untilState('ready');
    // The service has them: they are not added twice.
    await tab.pick(...images);
    await expect
      .poll(() => tab.widget.locator('.notice').textContent())
      .toContain(text('reject.count', { count: 2, total: 2 }));
    expect(Object.keys(await textsOf(tab))).toHaveLength(2);
  });

  it('is described in the language of the page, and the page says so when nothing could be described', async () => {
    const tab = await rig.open({ lang: 'de' });
    const sent: string[] = [];
    tab.page.on('request', (request) => {
      if (request.url().endsWith('/analyze')) sent.push(JSON.parse(request.postData() ?? '{}').options.language);
    });
    await tab.upload(1);
    await tab.widget.locator('button.analyze').click();
    await expect.poll(async () => (await tab.events('io-analyze')).length).toBe(1);
    expect(sent).toEqual(['de']);
  });
});
