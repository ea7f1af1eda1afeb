import type { ImageOptimizer } from '../index.ts';

const KEY = 'imagewright-demo-session';

/** Restores an element's images after a reload of this tab, which stores the session's id. */
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
    // A deleted session is not requested again.
    if (event.detail.phase === 'attach' && event.detail.error.status === 404) sessionStorage.removeItem(KEY);
  });
}
