import { beforeAll, expect, it } from 'vitest';
import { createI18n, loadLocale } from '../../../widget/i18n/index.ts';
import { openWidgetRig, text, type WidgetRig } from '../../support/widget-rig.ts';
import { rows, textOf } from '../read-page.ts';

let rig: WidgetRig;

beforeAll(async () => {
  rig = await openWidgetRig();
});

it('visible messages change their language with the element', async () => {
  const tab = await rig.open();
  const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('not an image') };
  await tab.upload(1);
  const json = { error: 'as the service says it', code: 'internal_error' };
  rig.proxy.inject({ kind: 'answer', status: 500, json }, { method: 'POST', path: /\/export$/, times: 50 });
  await tab.exportAll();
  await expect.poll(() => textOf(rows(tab.widget).first())).toContain(text('error.server'));
  await tab.widget.locator('input[type=file]').first().setInputFiles([notes]);
  const notices = () => textOf(tab.widget.locator('.notices'));
  await expect.poll(notices).toContain(text('reject.type', { name: 'notes.txt', format: 'TXT' }));

  await tab.widget.evaluate((element) => Object.assign(element, { locale: 'de' }));
  const { t } = createI18n({ locale: 'de', messages: await loadLocale('de') });
  await expect.poll(notices).toContain(t('reject.type', { name: 'notes.txt', format: 'TXT' }));
  expect(await notices()).toContain(t('error.server'));
  expect(await notices()).not.toContain(text('error.server'));
  await expect.poll(() => textOf(rows(tab.widget).first())).toContain(t('error.server'));
});
