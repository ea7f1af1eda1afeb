import { beforeAll, describe, expect, it } from 'vitest';
import { GOOD_ANSWER } from '../../support/fake-vision-server.ts';
import { openWidgetRig, text, type WidgetRig } from '../../support/widget-rig.ts';
import { tabTo } from '../keys.ts';
import { canvasStats } from '../read-page.ts';
import { focused } from './elements-rig.ts';
import { alt, analyze, described, open, review, shown, statusOf, texts } from './review-rig.ts';

describe('the review of texts', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  it('stays closed when something changes between its closing and the event of that', async () => {
    const tab = await described(rig, 1);
    await open(tab);
    const isOpen = await tab.widget.evaluate(async (element) => {
      const host = element as HTMLElement & { requestUpdate(): void; updateComplete: Promise<boolean> };
      const dialog = host.shadowRoot?.querySelector('dialog');
      dialog?.close();
      host.requestUpdate();
      await host.updateComplete;
      return dialog?.open;
    });
    expect(isOpen).toBe(false);
    await expect.poll(() => tab.widget.locator('dialog').count()).toBe(0);
    // Another one opens as before.
    await open(tab);
  });

  it('takes at most 1.3 keystrokes for each of 30 accepted texts, and never loses the focus', async () => {
    const tab = await described(rig, 30);
    const { keyboard } = tab.page;
    await tab.button(text('toolbar.analyze-again')).focus();
    await tab.page.evaluate(() => {
      const lost: string[] = [];
      Object.assign(window, { keys: 0, lost });
      const count = (event: KeyboardEvent) => {
        // Ctrl on the way to a chord is no stroke of its own.
        if (!['Control', 'Meta', 'Shift'].includes(event.key)) (window as unknown as { keys: number }).keys += 1;
      };
      addEventListener('keydown', count, true);
      addEventListener('keyup', (event) => {
        let active = document.activeElement;
        while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
        if (!active || active === document.body || active.shadowRoot) lost.push(event.key);
      });
    });
    await tabTo(tab, text('reviewing.title'));
    await keyboard.press('Enter');
    await expect.poll(() => focused(tab)).toBe('alt');
    for (let index = 0; index < 30; index += 1) {
      await expect.poll(() => shown(tab)).toBe(`picture-${index}.png`);
      // Every tenth picture is decoration.
      if (index % 10 === 4) await keyboard.press('Control+d');
      expect(await focused(tab)).toBe('alt');
      await keyboard.press('Enter');
    }
    await expect.poll(() => focused(tab)).toBe(text('action.close'));
    expect(await statusOf(tab)).toContain(text('reviewing.done', { count: 30, edited: 0, decorative: 3 }));
    await keyboard.press('Enter');
    await expect.poll(() => focused(tab)).toBe(text('reviewing.title'));
    const { keys, lost } = await tab.page.evaluate(() => {
      const { keys, lost } = window as unknown as { keys: number; lost: string[] };
      return { keys, lost };
    });
    const accepted = (await texts(tab)).filter(
      ({ origins }) => origins.decorative === 'user' || origins.alt === 'user',
    );
    expect(accepted).toHaveLength(30);
    expect(accepted.filter(({ metadata }) => metadata.decorative)).toHaveLength(3);
    console.log(`${keys} keystrokes for ${accepted.length} texts: ${(keys / accepted.length).toFixed(2)} each`);
    expect(keys / accepted.length).toBeLessThanOrEqual(1.3);
    expect(lost).toEqual([]);
    tab.expectQuiet();
  });

  it('edits by typing, at a decorative image too, and never changes another field', async () => {
    const tab = await described(rig, 3);
    const { keyboard } = tab.page;
    await open(tab);
    const before = await texts(tab);
    await keyboard.press('Control+d');
    await expect.poll(() => statusOf(tab)).toContain(`picture-0.png. ${text('field.decorative')}`);
    await keyboard.press('PageDown');
    await expect.poll(() => shown(tab)).toBe('picture-1.png');
    // A suggestion is selected; an arrow key keeps it.
    await keyboard.press('ArrowRight');
    await keyboard.type(' at night');
    await keyboard.press('Control+ArrowUp');
    await expect.poll(() => shown(tab)).toBe('picture-0.png');
    expect(await focused(tab)).toBe('alt');
    await expect.poll(() => alt(tab).inputValue()).toBe('');
    // A typed text says that the image is no decoration.
    await keyboard.type('A heron');
    await keyboard.press('Enter');
    await expect.poll(() => shown(tab)).toBe('picture-1.png');
    const after = await texts(tab);
    expect(after[0]?.metadata).toEqual({ ...before[0]?.metadata, alt: 'A heron', decorative: false });
    expect(after[1]?.metadata).toEqual({ ...before[1]?.metadata, alt: `${before[1]?.metadata.alt} at night` });
    // The text of before comes back, and the dialog stays.
    await keyboard.type(', perhaps');
    await keyboard.press('Escape');
    await expect.poll(() => alt(tab).inputValue()).toBe(after[1]?.metadata.alt);
    await keyboard.press('Escape');
    await expect.poll(() => tab.widget.locator('dialog[open]').count()).toBe(0);
    expect(await focused(tab)).toBe(text('reviewing.title'));
  });

  it('replaces a suggestion by typing, keeps it at a click, and never selects a text that a person wrote', async () => {
    const tab = await described(rig, 3);
    const { keyboard } = tab.page;
    await open(tab);
    await keyboard.type('Mine');
    await keyboard.press('Enter');
    await expect.poll(() => shown(tab)).toBe('picture-1.png');
    // The focus has stayed in the field, whose text is another one now.
    await keyboard.type('Another of mine');
    await expect.poll(() => alt(tab).inputValue()).toBe('Another of mine');
    await keyboard.press('Enter');
    await expect.poll(() => shown(tab)).toBe('picture-2.png');
    const suggested = await alt(tab).inputValue();
    await alt(tab).click();
    await keyboard.press('End');
    await keyboard.type('!');
    await expect.poll(() => alt(tab).inputValue()).toBe(`${suggested}!`);
    await keyboard.press('PageUp');
    await expect.poll(() => shown(tab)).toBe('picture-1.png');
    await keyboard.type('?');
    await expect.poll(() => alt(tab).inputValue()).toBe('Another of mine?');
  });

  it('asks for a text where there is none, and goes on to what is left', async () => {
    const tab = await rig.open();
    await tab.upload(3);
    await open(tab);
    await tab.page.keyboard.press('Enter');
    await expect.poll(() => statusOf(tab)).toBe(`picture-0.png. ${text('reviewing.needs-text')}`);
    expect(await focused(tab)).toBe('alt');
    await tab.page.keyboard.press('PageDown');
    await tab.page.keyboard.type('The second');
    await tab.page.keyboard.press('Enter');
    await expect.poll(() => shown(tab)).toBe('picture-2.png');
    await tab.page.keyboard.type('The third');
    await tab.page.keyboard.press('Enter');
    // The first one was passed over.
    await expect.poll(() => shown(tab)).toBe('picture-0.png');
    // A held key accepts nothing that nobody has read.
    await tab.page.keyboard.type('The first');
    await alt(tab).dispatchEvent('keydown', { key: 'Enter', repeat: true });
    expect(await shown(tab)).toBe('picture-0.png');
    await tab.page.keyboard.press('Enter');
    await expect.poll(() => focused(tab)).toBe(text('action.close'));
    await tab.page.keyboard.press('PageUp');
    await expect.poll(() => shown(tab)).toBe('picture-2.png');
    expect(await focused(tab)).toBe('alt');
    expect((await texts(tab)).map(({ metadata }) => metadata.alt)).toEqual(['The first', 'The second', 'The third']);
  });

  it('shows texts that an analysis brings, and keeps one that is being typed', async () => {
    const tab = await rig.open();
    await tab.upload(2);
    await open(tab);
    await analyze(tab);
    await expect.poll(() => alt(tab).inputValue()).toBe(GOOD_ANSWER.alt);
    // It is selected as it comes.
    await tab.page.keyboard.press('ArrowRight');
    await tab.page.keyboard.type(' and more');
    rig.vision.answer = { ...GOOD_ANSWER, alt: 'Something else' };
    await analyze(tab);
    rig.vision.reset();
    await expect.poll(() => alt(tab).inputValue()).toBe(`${GOOD_ANSWER.alt} and more`);
  });

  it.each([
    { name: 'a desktop', width: 1280, height: 900 },
    { name: 'a phone', width: 390, height: 844 },
    { name: '400 % zoom', width: 320, height: 225 },
  ])('has picture, text and button in sight together ($name)', async ({ width, height }) => {
    const tab = await rig.open({ context: { viewport: { width, height } } });
    await tab.pick('small/photo-dogs-portrait.jpg');
    await tab.untilState('ready');
    rig.vision.answer = { ...GOOD_ANSWER, people: true, textInImage: 'A sign' };
    await analyze(tab);
    rig.vision.reset();
    await open(tab);
    const picture = review(tab).locator('.picture canvas');
    await expect.poll(() => canvasStats(picture)).toMatchObject({ varied: true });
    const boxes = await Promise.all(
      [picture, alt(tab), review(tab).locator('.accept')].map((each) => each.boundingBox()),
    );
    for (const box of boxes) {
      if (!box) throw new Error('expected to see it');
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.y).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(width);
      expect(box.y + box.height).toBeLessThanOrEqual(height);
      expect(box.width).toBeGreaterThanOrEqual(100);
    }
    const [large, field, accept] = boxes;
    expect((large?.width ?? 0) * (large?.height ?? 0)).toBeGreaterThan(width * height * 0.28);
    // Two lines of text are above the button.
    expect(field?.height).toBeGreaterThan(44);
    expect((field?.y ?? 0) + 44).toBeLessThanOrEqual(accept?.y ?? 0);
    // The text stays in sight when it is typed.
    await tab.page.keyboard.type('.');
    expect(await alt(tab).boundingBox()).toEqual(field);
  });
});
