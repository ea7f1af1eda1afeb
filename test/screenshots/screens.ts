import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import sharp from 'sharp';

const FOLDER = fileURLToPath(new URL('../../docs/images/screens/', import.meta.url));

/** Looks of a screen: window, colours and language. */
const FORMS = {
  light: { width: 1280, height: 800, colorScheme: 'light', locale: 'en' },
  dark: { width: 1280, height: 800, colorScheme: 'dark', locale: 'en' },
  phone: { width: 390, height: 844, colorScheme: 'light', locale: 'en' },
  arabic: { width: 1280, height: 800, colorScheme: 'light', locale: 'ar' },
} as const;
type FormName = keyof typeof FORMS;

/** Takes pictures of a page in some looks. */
export type Shoot = (name: string, ...forms: FormName[]) => Promise<void>;

/** Creates what takes pictures of a page. `chooseLanguage` changes the language of the page, or of the element in it. */
export async function createShoot(page: Page, chooseLanguage: (locale: string) => Promise<unknown>): Promise<Shoot> {
  await mkdir(FOLDER, { recursive: true });
  let locale = 'en';
  const dress = async (form: (typeof FORMS)[FormName]) => {
    const { width, height, colorScheme } = form;
    if (form.locale !== locale) await chooseLanguage(form.locale);
    locale = form.locale;
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // Chromium keeps some colours of `light-dark()` in open dialogs when only the preference changes.
    await page.evaluate((scheme) => {
      document.documentElement.style.colorScheme = scheme;
    }, colorScheme);
    await page.setViewportSize({ width, height });
  };
  return async (name, ...forms) => {
    for (const form of forms) {
      await dress(FORMS[form]);
      // Nothing is pointed at.
      await page.mouse.move(0, 0);
      await settle(page);
      const bytes = await sharp(await page.screenshot())
        .webp({ quality: 45, effort: 6, smartSubsample: true })
        .toFile(`${FOLDER}${name}-${form}.webp`);
      console.log(`docs/images/screens/${name}-${form}.webp: ${Math.round(bytes.size / 1000)} kB`);
    }
    await dress(FORMS.light);
  };
}

/** Waits until thumbnails are there and transitions are over. */
export async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.waitForTimeout(700);
}
