import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('state and texts can be imported and created without a page, and leave no timer behind', () => {
  const program = `
    for (const name of ['window', 'document', 'HTMLElement', 'navigator', 'sessionStorage']) {
      Object.defineProperty(globalThis, name, { get() { throw new Error('touched ' + name); }, configurable: true });
    }
    const { Optimizer } = await import('./widget/state/index.ts');
    const { createI18n, loadLocale } = await import('./widget/i18n/index.ts');
    for (const name of ['navigator', 'sessionStorage']) delete globalThis[name];
    const optimizer = new Optimizer({ translate: createI18n({ locale: 'en', messages: await loadLocale('en') }).t });
    console.log(optimizer.state);
  `;
  const output = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  expect(output.trim()).toBe('empty');
});
