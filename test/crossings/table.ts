/** Kinds of file, with what a visitor gets of each. */
export const KINDS = {
  still: 'the picture',
  animated: 'every frame, moving; what cannot move stands in no markup',
  transparent: 'the picture with its transparency; JPEG alone is on white',
  HDR: 'the picture in SDR; JPEG keeps its gain map',
  credentials: 'the picture; credentials stay only in a file that nothing is changed in',
  places: 'the picture; no place, in whatever part of the upload it stood',
  '16 bits': 'the picture in the right colours, with 8 bits',
  HEIC: 'the picture in a format that browsers show',
} as const;
export type Kind = keyof typeof KINDS;

/** Ways out, with what hands the files to the visitor. */
export const WAYS = {
  API: 'the addresses of the results and `html`',
  element: '`html` of the API, with the texts of now',
  'command line': 'files beside each other, and `html` of `--markup`',
  'build plugin': '`src`, `srcset` and `sources` of an import',
  'WordPress beside': 'a `source` before the `img` of WordPress',
  'WordPress replace': 'the `img` of WordPress with the new file',
  Express: 'the file in the place of the old one',
  'share page': 'previews: the upload without private data, and the export',
} as const;
export type Way = keyof typeof WAYS;

/** Settings, with what each adds to the line of a cell. */
export const SETTINGS = {
  formats: 'in the smallest format that the browser knows',
  sizes: 'in the width that the page needs',
  limits: 'within the limit',
  original: 'in the format of the upload',
  exact: 'with the score of the preset',
  embed: 'with its texts inside',
  languages: 'with texts in the language of the page',
  placeholder: 'behind its own colour',
} as const;
export type Setting = keyof typeof SETTINGS;

/** Settings that a way does not offer. */
const MISSING: Partial<Record<Way, readonly Setting[]>> = {
  'build plugin': ['exact', 'embed', 'languages'],
  'WordPress beside': ['formats', 'original', 'placeholder'],
  'WordPress replace': ['formats', 'placeholder'],
  Express: ['formats', 'placeholder'],
  'share page': ['formats', 'embed', 'languages', 'placeholder'],
};
/** What becomes of a HEIC where it is not taken. */
const WITHOUT_HEIC: Partial<Record<Way, string>> = {
  'build plugin': 'refused with a reason',
  'WordPress beside': 'not offered; what WordPress has made of it stays',
  'WordPress replace': 'not offered; what WordPress has made of it stays',
  Express: 'not listed; the file stays',
};

/** A cell of the table. */
export interface Cell {
  kind: Kind;
  way: Way;
  setting: Setting;
  /** False where nobody can get to it. */
  isReachable: boolean;
  /** Result for a visitor. */
  line: string;
}

/**
 * Lists cells in which each kind meets each way, each kind each setting, and each way each setting, as few as possible. Where a way lacks the
 * setting, another cell has the next one that it offers, so that a person with this kind is walked with on each way.
 */
export function cells(): Cell[] {
  const [kinds, ways, settings] = [keysOf(KINDS), keysOf(WAYS), keysOf(SETTINGS)];
  return kinds.flatMap((kind, row) =>
    ways.flatMap((way, column) => {
      const from = row + column;
      const inTurn = settings.map((_, index) => settings[(from + index) % settings.length] as Setting);
      const offered = inTurn.find((setting) => !MISSING[way]?.includes(setting)) as Setting;
      return [...new Set([inTurn[0] as Setting, offered])].map((setting) => ({
        kind,
        way,
        setting,
        ...tell(kind, way, setting),
      }));
    }),
  );
}

/** Lists the cells of a way that a person can reach. */
export function cellsOf(way: Way): Cell[] {
  return cells().filter((cell) => cell.way === way && cell.isReachable);
}

function tell(kind: Kind, way: Way, setting: Setting): Pick<Cell, 'isReachable' | 'line'> {
  const refused = kind === 'HEIC' ? WITHOUT_HEIC[way] : undefined;
  if (refused) return { isReachable: false, line: refused };
  if (MISSING[way]?.includes(setting)) return { isReachable: false, line: 'this way has no such setting' };
  if (kind === 'HEIC' && setting === 'original')
    return { isReachable: true, line: 'the picture in a format that browsers show' };
  if (kind === 'animated' && setting === 'original') return { isReachable: true, line: 'the upload itself, moving' };
  if (kind === '16 bits' && way === 'WordPress beside' && setting === 'limits')
    return { isReachable: true, line: `${KINDS[kind]}; in its own width, since WordPress scales no PNG` };
  return { isReachable: true, line: `${KINDS[kind]}; ${SETTINGS[setting]}` };
}

const keysOf = <Name extends string>(record: Record<Name, unknown>) => Object.keys(record) as Name[];

const WALKED_BY: Partial<Record<Way, string>> = {
  element: 'element',
  'WordPress beside': 'wordpress',
  'WordPress replace': 'wordpress',
  Express: 'express',
  'share page': 'share-page',
};

/** Returns the file whose tests walk a way. */
export function testOf(way: Way): string {
  return `test/crossings/${WALKED_BY[way] ?? 'crossings'}.long.test.ts`;
}

/** Writes the page of the documentation. */
export function crossingsPage(): string {
  const list = Object.entries(WAYS).map(([way, by]) => `| ${way} | ${by} | \`${testOf(way as Way)}\` |`);
  const rows = cells().map(
    ({ kind, way, setting, isReachable, line }) =>
      `| ${kind} | ${way} | ${setting} | ${isReachable ? line : `– (${line})`} |`,
  );
  return `# Crossings

What a visitor gets where a kind of file, a way out and a setting meet. Each kind meets each way and each setting, and each way each setting, in as few
cells as that takes. The page is written from \`test/crossings/table.ts\`; the tests walk the same cells, one by one. Chromium chooses the file from the
page that a visitor gets, and judges what it shows: the picture of the upload, moving if it moves, transparent where it is, as wide as asked, with the
score that was told, on the colour of its placeholder. exiftool finds the texts, and no place.

| way | what reaches a visitor | walked by |
|---|---|---|
${list.join('\n')}

## The cells

| kind | way | setting | what a visitor gets |
|---|---|---|---|
${rows.join('\n')}
`;
}
