import { expect } from 'vitest';
import { plainImages } from '../../support/small-images.ts';
import { text, type WidgetRig, type WidgetTab } from '../../support/widget-rig.ts';
import { focused } from './elements-rig.ts';

export const analyze = ({ widget }: WidgetTab) =>
  widget.evaluate((element) => (element as unknown as { analyze(): Promise<void> }).analyze());
export const review = ({ widget }: WidgetTab) => widget.locator('io-review');
export const alt = (tab: WidgetTab) => review(tab).locator('#alt');
/** Name of the shown image. */
export const shown = (tab: WidgetTab) => review(tab).locator('.name').textContent();
export const statusOf = (tab: WidgetTab) => review(tab).locator('[role=status]').textContent();
export const open = async (tab: WidgetTab) => {
  await tab.button(text('reviewing.title')).click();
  await expect.poll(() => focused(tab)).toBe('alt');
};
interface Text {
  name: string;
  metadata: { alt: string; decorative: boolean; filename: string };
  origins: Record<string, string>;
}
export const texts = ({ widget }: WidgetTab) =>
  widget.evaluate((element) =>
    (element as unknown as { items: Text[] }).items.map(({ name, metadata, origins }) => ({ name, metadata, origins })),
  );

/** Opens a page with described pictures. */
export async function described(
  rig: WidgetRig,
  count: number,
  options: Parameters<WidgetRig['open']>[0] = {},
): Promise<WidgetTab> {
  const tab = await rig.open({ ...options, elements: [{ 'no-sample': '' }] });
  await tab.pick(...(await plainImages(count, { width: 64, height: 48 })));
  await expect.poll(async () => (await tab.events('io-upload')).length).toBe(count);
  await analyze(tab);
  return tab;
}
