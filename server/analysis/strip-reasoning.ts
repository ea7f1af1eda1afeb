/** Longest reply that is read; answers are far shorter. */
const MAX_CHARACTERS = 65_536;
const TAG = /<(\/?)think(?:ing)?>/gi;

/**
 * Removes `<think>` blocks before the answer, which may contain drafts of it. An unclosed block has no answer after it.
 * Tags inside the answer are kept.
 */
export function stripReasoning(raw: string): string {
  const text = raw.slice(0, MAX_CHARACTERS);
  let answer = '';
  let at = 0;
  let inBlock = false;
  for (const tag of text.matchAll(TAG)) {
    const closes = tag[1] === '/';
    if (inBlock !== closes) continue;
    if (!inBlock) {
      answer += text.slice(at, tag.index);
      if (answer.includes('{')) return answer + text.slice(tag.index);
    }
    inBlock = !inBlock;
    at = tag.index + tag[0].length;
  }
  return inBlock ? answer : answer + text.slice(at);
}
