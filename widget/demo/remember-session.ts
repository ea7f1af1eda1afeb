import type { ImageOptimizer } from '../index.ts';

const KEY = 'imagewright-demo-session';

/** Brings an element's images back after a reload of this tab: the service has them, the tab keeps the session's id. */
export function rememberSession(element: ImageOptimizer): void {
  const kept = sessionStorage.getItem(KEY);
  if (kept && !element.sessionId) element.sessionId = kept;
  const keep = () => {
    if (element.sessionId) sessionStorage.setItem(KEY, element.sessionId);
    else sessionStorage.removeItem(KEY);
  };
  element.addEventListener('io-upload', keep);
  element.addEventListener('io-remove', keep);
  element.addEventListener('io-error', (event) => {
    // A session that is gone is not asked for again.
    if (event.detail.phase === 'attach' && event.detail.error.status === 404) sessionStorage.removeItem(KEY);
  });
}
