const CALL = /(?:__|_e|esc_html__|esc_html_e|esc_attr__|esc_attr_e)\(\s*'((?:[^'\\]|\\.)*)',\s*'imagewright'/g;
const HINT = /\/\*\s*(translators: .*?)\s*\*\/\s*$/;

/** The template for translators (`.pot`): every text of the PHP files once, with where it stands and the hint above it. */
export function potFile(sources: ReadonlyMap<string, string>, version: string): string {
  const texts = new Map<string, { places: string[]; hint: string }>();
  for (const [name, source] of sources) {
    for (const match of source.matchAll(CALL)) {
      const text = (match[1] ?? '').replace(/\\(['\\])/g, '$1');
      const before = source.slice(0, match.index);
      const found = texts.get(text) ?? { places: [], hint: '' };
      found.places.push(`${name}:${before.split('\n').length}`);
      // The hint stands on the line above the call, whatever the call begins with.
      found.hint ||= HINT.exec(before.slice(0, before.lastIndexOf('\n')))?.[1] ?? '';
      texts.set(text, found);
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
  const entries = [...texts].map(([text, { places, hint }]) =>
    [...(hint ? [`#. ${hint}`] : []), `#: ${places.join(' ')}`, `msgid ${JSON.stringify(text)}`, 'msgstr ""'].join(
      '\n',
    ),
  );
  return `${[header, ...entries].join('\n\n')}\n`;
}
