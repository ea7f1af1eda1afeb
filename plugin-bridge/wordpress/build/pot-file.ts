const CALL =
  /(__|_e|esc_html__|esc_html_e|esc_attr__|esc_attr_e|_n_noop|_x)\(\s*'((?:[^'\\]|\\.)*)',\s*(?:'((?:[^'\\]|\\.)*)',\s*)?'imagewright'/g;
const HINT = /\/\*\s*(translators: .*?)\s*\*\/\s*$/;
/** Header that WordPress shows translated in the list of plugins. */
const DESCRIPTION = /^( \* Description:\s+)(.*)$/m;

interface Text {
  text: string;
  /** Context (`msgctxt`) that separates equal texts with different meanings; empty if there is none. */
  context: string;
  /** Plural form; empty if there is none. */
  plural: string;
  places: string[];
  hint: string;
}

/** Builds the template for translators (`.pot`): every text of the PHP files once, with its places and the comment above it. */
export function potFile(sources: ReadonlyMap<string, string>, version: string): string {
  const texts = new Map<string, Text>();
  const add = (text: string, place: string, { plural = '', hint = '', context = '' }) => {
    const key = `${context}\u0004${text}`;
    const found = texts.get(key) ?? { text, context, plural, places: [], hint: '' };
    found.places.push(place);
    found.hint ||= hint;
    texts.set(key, found);
  };
  for (const [name, source] of sources) {
    const place = (index: number) => `${name}:${source.slice(0, index).split('\n').length}`;
    const description = DESCRIPTION.exec(source);
    if (description) {
      add(description[2] ?? '', place(description.index), { hint: 'translators: Description of the plugin.' });
    }
    for (const { index, 1: call, 2: text = '', 3: second = '' } of source.matchAll(CALL)) {
      const before = source.slice(0, index);
      // The translator comment is on the line above the call.
      const hint = HINT.exec(before.slice(0, before.lastIndexOf('\n')))?.[1] ?? '';
      const more = call === '_x' ? { context: unquote(second) } : { plural: unquote(second) };
      add(unquote(text), place(index), { ...more, hint });
    }
  }
  const header = [
    'msgid ""',
    'msgstr ""',
    `"Project-Id-Version: Imagewright ${version}\\n"`,
    '"MIME-Version: 1.0\\n"',
    '"Content-Type: text/plain; charset=UTF-8\\n"',
    '"Content-Transfer-Encoding: 8bit\\n"',
    '"X-Domain: imagewright\\n"',
  ].join('\n');
  const entries = [...texts.values()].map(({ text, context, plural, places, hint }) =>
    [
      ...(hint ? [`#. ${hint}`] : []),
      `#: ${places.join(' ')}`,
      ...(context ? [`msgctxt ${JSON.stringify(context)}`] : []),
      `msgid ${JSON.stringify(text)}`,
      ...(plural ? [`msgid_plural ${JSON.stringify(plural)}`, 'msgstr[0] ""', 'msgstr[1] ""'] : ['msgstr ""']),
    ].join('\n'),
  );
  return `${[header, ...entries].join('\n\n')}\n`;
}

function unquote(text: string): string {
  return text.replace(/\\(['\\])/g, '$1');
}
