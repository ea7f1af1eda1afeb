import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { CANCELABLE_EVENTS } from '../../widget/state/event-details.ts';
import { EVENT_NAMES } from '../support/host-page.ts';
import { openWidgetRig, type WidgetRig } from '../support/widget-rig.ts';

interface Described {
  name: string;
  description?: string;
  attribute?: string;
  type?: { text: string };
}
interface Element {
  tagName: string;
  attributes: Described[];
  members: Described[];
  events?: Described[];
  slots?: Described[];
  cssParts?: Described[];
  cssProperties?: Described[];
}

const manifest = JSON.parse(readFileSync('widget/custom-elements.json', 'utf8')) as {
  modules: { declarations: Element[] }[];
};
const elements = manifest.modules.flatMap(({ declarations }) => declarations);
const optimizer = elements.find(({ tagName }) => tagName === 'image-optimizer') as Element;
const namesOf = (list: Described[] = []) => list.map(({ name }) => name).sort();

/** All sources of the elements and their styles as one text. */
const sources = ['widget/elements', 'widget/styles']
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(ts|css)$/.test(path))
      .map((path) => readFileSync(join(folder, path), 'utf8')),
  )
  .join('\n');
const found = (pattern: RegExp) =>
  [...new Set([...sources.matchAll(pattern)].map(([, name]) => name as string))].sort();

describe('the descriptions of the elements', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  it('describe every member, attribute, event, slot, part and custom property', () => {
    expect(elements.map(({ tagName }) => tagName).sort()).toEqual(
      [
        'image-optimizer',
        'io-compare',
        'io-cost',
        'io-dropzone',
        'io-list',
        'io-live',
        'io-review',
        'io-row',
        'io-settings',
        'io-take-away',
      ].sort(),
    );
    const silent = elements.flatMap((element) =>
      (['attributes', 'members', 'events', 'slots', 'cssParts', 'cssProperties'] as const).flatMap((kind) =>
        (element[kind] ?? [])
          .filter(({ description }) => !description?.trim())
          .map(({ name }) => `<${element.tagName}> ${kind} ${name}`),
      ),
    );
    expect(silent).toEqual([]);
  });

  it('name exactly the attributes that the element observes', async () => {
    const tab = await rig.open();
    const observed = await tab.widget.evaluate(
      (element) => (element.constructor as unknown as { observedAttributes: string[] }).observedAttributes,
    );
    expect(namesOf(optimizer.attributes)).toEqual([...new Set(observed)].sort());
  });

  it('name exactly the properties and methods that the element has of its own', async () => {
    const tab = await rig.open();
    const own = await tab.widget.evaluate((element) => {
      const names = new Set<string>();
      const isForeign = (prototype: object | null) =>
        !prototype || Object.hasOwn(prototype, 'enableUpdating') || Object.hasOwn(prototype, '_$AL');
      let prototype = Object.getPrototypeOf(element) as object | null;
      while (!isForeign(prototype) && prototype !== HTMLElement.prototype) {
        for (const name of Object.getOwnPropertyNames(prototype)) names.add(name);
        prototype = Object.getPrototypeOf(prototype) as object | null;
      }
      return [...names];
    });
    // Members of Lit and `protected` ones, which are visible at run time.
    const inner =
      /^(constructor|connectedCallback|disconnectedCallback|willUpdate|updated|firstUpdated|update|render|createRenderRoot|i18n|optimizer|optimizerChanged|forwardEvent|announced|languageReady|_\$.*|__.*)$/;
    const published = own.filter((name) => !inner.test(name));
    const documented = optimizer.members.map(({ name }) => name);
    expect(published.filter((name) => !documented.includes(name))).toEqual([]);
    // Static members such as `version` are not found here; documented ones must exist.
    expect(documented.filter((name) => !own.includes(name))).toEqual([]);
  });

  it('name exactly the events of the element', () => {
    expect(namesOf(optimizer.events)).toEqual([...EVENT_NAMES].sort());
    for (const name of CANCELABLE_EVENTS) {
      expect(optimizer.events?.find((event) => event.name === name)?.description, name).toMatch(/cancel/i);
    }
  });

  it('name exactly the parts and slots that the sources have', () => {
    const parts = new Set(found(/part="([\w\s-]+)"/g).flatMap((value) => value.trim().split(/\s+/)));
    expect(namesOf(optimizer.cssParts).filter((name) => !parts.has(name))).toEqual([]);
    const documented = new Set(elements.flatMap(({ cssParts = [] }) => namesOf(cssParts)));
    expect([...parts].filter((name) => !documented.has(name))).toEqual([]);
    const slots = found(/<slot name="([\w-]+)"/g);
    const described = new Set(elements.flatMap((element) => namesOf(element.slots)));
    expect(slots.filter((name) => !described.has(name))).toEqual([]);
    expect(namesOf(optimizer.slots).filter((name) => !slots.includes(name))).toEqual([]);
  });

  it('name exactly the custom properties that the styles read', () => {
    expect(namesOf(optimizer.cssProperties)).toEqual(found(/var\(\s*(--io-[\w-]+)/g));
  });
});
