/** No answer comes near this: what stands behind it is not looked at. */
const MAX_CHARACTERS = 65_536;
const TAG = /<(\/?)think(?:ing)?>/gi;

/**
 * What a model said without what it thought aloud, which comes before the answer and may hold drafts of it. A thought that
 * does not end has no answer behind it. Tags inside of an answer are words of it.
 */
export function withoutThoughts(raw: string): string {
  const text = raw.slice(0, MAX_CHARACTERS);
  let said = '';
  let at = 0;
  let thinking = false;
  for (const tag of text.matchAll(TAG)) {
    const closes = tag[1] === '/';
    if (thinking !== closes) continue;
    if (!thinking) {
      said += text.slice(at, tag.index);
      if (said.includes('{')) return said + text.slice(tag.index);
    }
    thinking = !thinking;
    at = tag.index + tag[0].length;
  }
  return thinking ? said : said + text.slice(at);
}
