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
  'WordPress beside': ['formats', 'original'],
  'WordPress replace': ['formats'],
  Express: ['formats'],
  'share page': ['formats', 'embed', 'languages', 'placeholder'],
};
/** Ways that read no HEIC, since they work by the engine without its package. */
const WITHOUT_HEIC: readonly Way[] = ['build plugin'];

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

/** Lists cells in which each kind meets each way, each kind each setting, and each way each setting, as few as possible. */
export function cells(): Cell[] {
  const [kinds, ways, settings] = [keysOf(KINDS), keysOf(WAYS), keysOf(SETTINGS)];
  return kinds.flatMap((kind, row) =>
    ways.map((way, column) => {
      const setting = settings[(row + column) % settings.length] as Setting;
      return { kind, way, setting, ...tell(kind, way, setting) };
    }),
  );
}

function tell(kind: Kind, way: Way, setting: Setting): Pick<Cell, 'isReachable' | 'line'> {
  if (kind === 'HEIC' && WITHOUT_HEIC.includes(way)) return { isReachable: false, line: 'refused with a reason' };
  if (MISSING[way]?.includes(setting)) return { isReachable: false, line: 'this way has no such setting' };
  if (kind === 'HEIC' && setting === 'original')
    return { isReachable: true, line: 'the picture in a format that browsers show' };
  if (kind === 'animated' && setting === 'original') return { isReachable: true, line: 'the upload itself, moving' };
  return { isReachable: true, line: `${KINDS[kind]}; ${SETTINGS[setting]}` };
}

const keysOf = <Name extends string>(record: Record<Name, unknown>) => Object.keys(record) as Name[];

/** Ways whose cells `crossings.long.test.ts` walks by itself. The others hand on the files of the API; their own tests are named. */
export const WALKED: readonly Way[] = ['API', 'command line', 'build plugin'];
const TESTED_BY: Partial<Record<Way, string>> = {
  element: 'test/widget/state/runs/several-formats.test.ts',
  'WordPress beside': 'test/wordpress/beside.long.test.ts',
  'WordPress replace': 'test/wordpress/replace-and-restore.long.test.ts',
  Express: 'test/plugin-bridge/host/media-server.long.test.ts',
  'share page': 'test/shares/share-picture.long.test.ts',
};

/** Returns the file whose tests walk a way. */
export function testOf(way: Way): string {
  return TESTED_BY[way] ?? 'test/crossings/crossings.long.test.ts';
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
cells as that takes. The page is written from \`test/crossings/table.ts\`; the tests walk the same cells and let Chromium judge: what is named as
moving moves, what is transparent is, no place is left.

Cells of the API, the command line and the build plugin are walked one by one. The other ways hand on the files of the API; what they do beside that
is tested by the files named here.

| way | what reaches a visitor | walked by |
|---|---|---|
${list.join('\n')}

## The cells

| kind | way | setting | what a visitor gets |
|---|---|---|---|
${rows.join('\n')}
`;
}
