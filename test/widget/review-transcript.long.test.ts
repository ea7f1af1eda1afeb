import { beforeAll, expect, it } from 'vitest';
import { GOOD_ANSWER } from '../support/fake-vision-server.ts';
import { openWidgetRig, text, type WidgetRig, type WidgetTab } from '../support/widget-rig.ts';
import { focused } from './elements/elements-rig.ts';

let rig: WidgetRig;
beforeAll(async () => {
  rig = await openWidgetRig();
});

type Node = {
  nodeId: string;
  ignored: boolean;
  childIds?: string[];
  role?: { value?: unknown };
  name?: { value?: unknown };
  value?: { value?: unknown };
  description?: { value?: unknown };
  properties?: { name: string; value: { value?: unknown } }[];
};

/** Reads the dialog, the focused control and the live region from Chromium's accessibility tree, as a screen reader does. */
async function announcements(tab: WidgetTab): Promise<string[]> {
  const session = await tab.context.newCDPSession(tab.page);
  const { nodes } = (await session.send('Accessibility.getFullAXTree')) as unknown as { nodes: Node[] };
  await session.detach();
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const of = (role: string) => nodes.find((node) => !node.ignored && node.role?.value === role);
  const words = ({ name, childIds = [] }: Node): string =>
    childIds.length > 0 ? childIds.map((id) => words(byId.get(id) as Node)).join('') : String(name?.value ?? '');
  const has = (node: Node, name: string) =>
    node.properties?.some((each) => each.name === name && each.value.value === true);
  const focus = nodes.find(
    (node) => has(node, 'focused') && !['RootWebArea', 'dialog'].includes(String(node.role?.value)),
  );
  const control = [focus?.role, focus?.name, focus?.value, focus?.description].map((each) => String(each?.value ?? ''));
  const [role, name, value, description] = control;
  const status = of('status');
  return [
    `dialog "${String(of('dialog')?.name?.value)}"`,
    `focus: ${role} "${name}"${value ? ` = "${value}"` : ''}${description ? ` (${description})` : ''}`,
    `says: ${status ? words(status).replaceAll('\u00a0', ' ').trim() : ''}`,
  ];
}

it('tells screen readers image, state and result of each step', async () => {
  const tab = await rig.open();
  const { keyboard } = tab.page;
  await tab.pick('small/graphic-badge-alpha.png', 'small/photo-dogs-portrait.jpg', 'photos/photo-nuthatch.jpg');
  await tab.untilState('ready');
  rig.vision.answer = { ...GOOD_ANSWER, people: true };
  await tab.widget.evaluate(async (element) => {
    await (element as unknown as { analyze(): Promise<void> }).analyze();
  });
  rig.vision.reset();
  // The bar has its buttons of the next step only then.
  await tab.button(text('toolbar.analyze-again')).waitFor();
  await tab.button(text('reviewing.title')).focus();
  /** Does a step and waits until a screen reader hears what is expected: Chromium's tree follows the page a moment later. */
  const step = async (act: () => Promise<void>, ...expected: string[]) => {
    await act();
    await expect.poll(() => announcements(tab)).toEqual(['dialog "Review texts"', ...expected]);
  };
  await step(
    async () => {
      await keyboard.press('Enter');
      await expect.poll(() => focused(tab)).toBe('alt');
    },
    'focus: textbox "Alternative text" = "A red bicycle leans against a brick wall" (40 of 125 characters graphic-badge-alpha.png People are visible: check names and consent. Stays: transparency)',
    'says: Image 1 of 3: graphic-badge-alpha.png. A red bicycle leans against a brick wall People are visible: check names and consent.',
  );
  await step(
    () => keyboard.press('Enter'),
    'focus: textbox "Alternative text" = "A red bicycle leans against a brick wall" (40 of 125 characters photo-dogs-portrait.jpg People are visible: check names and consent.)',
    'says: Accepted. Image 2 of 3: photo-dogs-portrait.jpg. A red bicycle leans against a brick wall People are visible: check names and consent.',
  );
  await step(
    () => keyboard.press('Control+d'),
    'focus: textbox "Alternative text" (Screen readers skip it, so it needs no text. photo-dogs-portrait.jpg)',
    'says: Image 2 of 3: photo-dogs-portrait.jpg. Decorative',
  );
  await step(
    () => keyboard.press('PageUp'),
    'focus: textbox "Alternative text" = "A red bicycle leans against a brick wall" (40 of 125 characters graphic-badge-alpha.png Stays: transparency Checked)',
    'says: Image 1 of 3: graphic-badge-alpha.png. A red bicycle leans against a brick wall Accepted.',
  );
  await step(
    () => keyboard.press('PageDown'),
    'focus: textbox "Alternative text" (Screen readers skip it, so it needs no text. photo-dogs-portrait.jpg)',
    'says: Image 2 of 3: photo-dogs-portrait.jpg. Decorative',
  );
  await step(
    () => keyboard.press('Control+d'),
    'focus: textbox "Alternative text" = "A red bicycle leans against a brick wall" (40 of 125 characters photo-dogs-portrait.jpg)',
    'says: Image 2 of 3: photo-dogs-portrait.jpg. A red bicycle leans against a brick wall',
  );
  await step(
    async () => {
      await keyboard.press('Control+a');
      await keyboard.press('Delete');
      await keyboard.press('Enter');
    },
    'focus: textbox "Alternative text" (Missing: what does the image show? photo-dogs-portrait.jpg)',
    'says: photo-dogs-portrait.jpg. No text yet. Write one, mark it as decorative, or press Page Down.',
  );
  await step(
    async () => {
      await keyboard.type('Two dogs');
      await keyboard.press('Enter');
    },
    'focus: textbox "Alternative text" = "A red bicycle leans against a brick wall" (40 of 125 characters photo-nuthatch.jpg People are visible: check names and consent.)',
    'says: Accepted. Image 3 of 3: photo-nuthatch.jpg. A red bicycle leans against a brick wall People are visible: check names and consent.',
  );
  await step(
    () => keyboard.press('Enter'),
    'focus: button "Close"',
    'says: Accepted. 3 checked, 1 edited, 0 decorative',
  );
});
