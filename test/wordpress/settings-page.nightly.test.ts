import { expect, it } from 'vitest';
import { PATIENCE, useBrowser, useRig } from './use-rig.ts';

const tests = useRig();
const { rig } = tests;
const { openPage } = useBrowser(tests);
const stored = () =>
  rig.site.php<Record<string, unknown>>('return imagewright()->get( Imagewright_Options::class )->all();');
const SANITIZE = `wp_set_current_user( 1 ); require_once ABSPATH . 'wp-admin/includes/admin.php';
  update_option( 'imagewright_settings', $before + get_option( 'imagewright_settings' ) );
  $GLOBALS['wp_settings_errors'] = array();
  return imagewright()->get( Imagewright_Settings_Page::class )->sanitize_settings( $input ) + array( 'told' => wp_list_pluck( get_settings_errors(), 'message' ) );`;

it('settings have three sections; the last is folded and opens where a field is wrong; an empty field is no limit', async () => {
  const { page, expectQuiet } = await openPage('options-general.php?page=imagewright');
  expect(await page.locator('.imagewright-settings h2').allInnerTexts()).toEqual([
    'Connection',
    'New uploads',
    'Advanced',
  ]);
  const edge = page.getByLabel('Largest width or height');
  expect(await edge.isVisible()).toBe(false);
  await page.getByRole('radio', { name: 'In the place of the originals' }).check();
  await page.getByText('Advanced').click();
  await expect.poll(() => edge.inputValue()).toBe('');
  await expect.poll(() => edge.getAttribute('placeholder')).toBe('2560');
  await expect.poll(() => page.getByLabel('Credits a day for new uploads').inputValue()).toBe('200');
  await edge.fill('0');
  await page.getByText('Advanced').click();
  await page.getByRole('button', { name: 'Save Changes' }).click();
  // The browser refuses it, and the field is in sight.
  await edge.waitFor(PATIENCE);
  await edge.fill('');
  await page.getByLabel('Credits a day for new uploads').fill('');
  await page.getByRole('radio', { name: 'All but private' }).check();
  await page.getByRole('checkbox', { name: 'Show them without HDR' }).check();
  await page.getByRole('button', { name: 'Save Changes' }).click();
  await page.getByText('Settings saved.').waitFor(PATIENCE);
  expect(await stored()).toMatchObject({
    ...{ delivery: 'replace', daily_credits: 0, max_edge: 0, metadata: 'all-but-private', flatten_hdr: true },
  });
  expectQuiet();
});

it('a zero, which would mean "no credits" and "no limit", is refused with the way to say either', async () => {
  const before = { daily_credits: 50, max_edge: 0, metadata: 'rights' };
  const input = { daily_credits: '0', metadata: 'everything' };
  const saved = await rig.site.php<Record<string, unknown>>(SANITIZE, { before, input });
  expect(saved).toMatchObject({ daily_credits: 50, metadata: 'rights' });
  expect(saved.told).toEqual(['Numbers begin at 1. Leave a field empty for no limit.']);
});
