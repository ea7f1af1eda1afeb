import { createRequire } from 'node:module';
import type { CompatStatement, Identifier, SimpleSupportStatement } from '@mdn/browser-compat-data';
import { BROWSERS } from '../../../widget/build/browsers.ts';

/** Data of MDN about what browsers know. Not imported, since the runner of the tests would turn its 20 MB into a module. */
export const DATA = createRequire(import.meta.url)('@mdn/browser-compat-data') as {
  css: Record<string, Identifier>;
  api: Identifier;
  javascript: Record<string, Identifier>;
};

/** Promised browsers with their oldest version; Safari of telephones and tablets is promised with that of computers. */
const PROMISED = BROWSERS.flatMap((entry) => {
  const [, name = '', version = ''] = /^([a-z]+)([\d.]+)$/.exec(entry) ?? [];
  return (name === 'safari' ? ['safari', 'safari_ios'] : [name]).map((browser) => ({
    browser,
    version: Number(version),
  }));
});

/** Returns the promised browsers that lack a feature in their oldest promised version, e.g. `firefox 147`. */
function lacking(compat: CompatStatement | undefined): string[] {
  if (!compat) return [];
  return PROMISED.flatMap(({ browser, version }) => {
    const statements = [
      compat.support[browser as keyof typeof compat.support] ?? [],
    ].flat() as SimpleSupportStatement[];
    const plain = statements.filter((one) => !one.flags && !one.prefix && !one.alternative_name);
    const knows = plain.some((one) => number(one.version_added) <= version && number(one.version_removed) > version);
    if (knows || statements.length === 0) return [];
    const since = Math.min(...plain.map((one) => number(one.version_added)));
    return [`${browser} ${Number.isFinite(since) ? since : 'never'}`];
  });
}

/** Returns a version as a number; infinite for none and for one that is not released. */
function number(version: string | boolean | null | undefined): number {
  return Number.parseFloat(String(version).replace('≤', '')) || Number.POSITIVE_INFINITY;
}

/** Features that some promised browser lacks, with these browsers and the files that use them. */
export class Findings {
  readonly found = new Map<string, { browsers: string; files: Set<string> }>();

  /** Notes the use of a feature in a file if a promised browser lacks it. */
  note(feature: string, compat: CompatStatement | undefined, file: string): void {
    const browsers = lacking(compat);
    if (browsers.length === 0) return;
    const entry = this.found.get(feature) ?? { browsers: browsers.join(', '), files: new Set() };
    entry.files.add(file);
    this.found.set(feature, entry);
  }

  /**
   * Returns what a list does not name, as lines for a person, and its entries that no file needs any more.
   * @param list a reason for each feature; one that ends with `*` stands for all that begin so
   */
  beside(list: Record<string, string>): string[] {
    const features = [...this.found.keys()];
    const isOf = (entry: string) => (feature: string) =>
      entry.endsWith('*') ? feature.startsWith(entry.slice(0, -1)) : feature === entry;
    const unnamed = features.filter((feature) => !Object.keys(list).some((entry) => isOf(entry)(feature)));
    return [
      ...unnamed.map((feature) => {
        const { browsers, files } = this.found.get(feature) ?? { browsers: '', files: [] };
        return `${feature}: not in ${browsers}; used in ${[...files].sort().slice(0, 3).join(', ')}`;
      }),
      ...Object.keys(list)
        .filter((entry) => !features.some(isOf(entry)))
        .map((entry) => `${entry}: no longer needed in the list`),
    ];
  }
}
