import type { ImageOptimizer } from '../index.ts';

/**
 * Elements of the playground, the last shown one at the end. They outlive the page, so that uploads continue while
 * another page or session is shown. They belong to one account.
 */
let kept: { elements: ImageOptimizer[]; accountId: string } = { elements: [], accountId: '' };
let wanted: string | null = null;

/** Sets the session that the playground continues when it is opened. */
export function continueSession(sessionId: string): void {
  wanted = sessionId;
}

/** Returns the account's element with the wanted session, else as it was left; after a reload it restores its images itself. */
export function playgroundElement(accountId: string): ImageOptimizer {
  if (kept.accountId !== accountId) {
    for (const element of kept.elements) element.cancel();
    kept = { elements: [], accountId };
  }
  const sessionId = wanted;
  wanted = null;
  const { elements } = kept;
  const known = sessionId ? elements.find((element) => element.sessionId === sessionId) : elements.at(-1);
  const element = known ?? createElement(sessionId);
  const others = elements.filter((other) => other !== element);
  // The tab remembers one element; what others have not saved is kept under their sessions.
  for (const other of others) other.remember = '';
  element.remember = `playground-${accountId}`;
  kept.elements = [...others, element];
  return element;
}

function createElement(sessionId: string | null): ImageOptimizer {
  const element = Object.assign(document.createElement('image-optimizer'), { sessionId });
  element.append(Object.assign(document.createElement('io-share-link'), { slot: 'toolbar-end' }));
  return element;
}
