import type { Messages } from './messages.ts';

/**
 * Reads texts as the build has packed them: a line without a blank begins a section of keys, others are key and
 * text. `#` stands for `{count}`, `~` for `{name}`, `{size` for `{size}`, and `a [b|c] d` for the plural forms `a b d|a c d`.
 */
export function unpackTexts(packed: string): Messages {
  const texts: { [key: string]: string } = {};
  let section = '';
  for (const line of packed.replaceAll('#', '{count').replaceAll('~', '{name').replace(/\{\w+/g, '$&}').split('\n')) {
    const at = line.indexOf(' ');
    if (at < 0) section = line && `${line}.`;
    else {
      const [head, forms, tail = ''] = line.slice(at + 1).split(/[[\]]/);
      texts[section + line.slice(0, at)] =
        forms === undefined
          ? `${head}`
          : forms
              .split('|')
              .map((form) => head + form + tail)
              .join('|');
    }
  }
  return texts;
}
