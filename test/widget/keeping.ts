import { expect } from 'vitest';
import type { WidgetTab } from '../support/widget-rig.ts';

/** Texts of the rows, by the names of their images. */
export function textsOf(tab: WidgetTab): Promise<Record<string, string | null>> {
  return tab.widget.evaluate((element) => {
    const { items } = element as unknown as { items: { name: string; metadata: { alt: string | null } }[] };
    return Object.fromEntries(items.map(({ name, metadata }) => [name, metadata.alt]));
  });
}

/** Types into the alternative text of the row at `index`. */
export async function typeAlt(tab: WidgetTab, index: number, words: string): Promise<void> {
  const field = tab.widget.locator('[data-text=alt]').nth(index);
  await field.focus();
  await field.pressSequentially(words);
}

/** Waits until no text waits to be stored by the service. */
export async function untilSaved(tab: WidgetTab): Promise<void> {
  const read = () =>
    tab.widget.evaluate((element) =>
      (element as unknown as { items: { saving: string }[] }).items.every(({ saving }) => saving === 'saved'),
    );
  await tab.widget.locator('[data-text=alt]').first().press('Enter');
  await expect.poll(read).toBe(true);
}

/** Deletes the session at the service, as when it expires. */
export async function endSession({ account, widget }: WidgetTab): Promise<void> {
  const id = await widget.getAttribute('session-id');
  if (id) await account.api.request(`/v1/sessions/${id}`, { method: 'DELETE' });
}
