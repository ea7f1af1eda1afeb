import type { HostElement } from './host-element.ts';
import { HostError, toHostError } from './host-error.ts';
import type { HostTextKey } from './host-texts.ts';
import type { RunRecord } from './journal.ts';

/** Brings the images of interrupted runs back into an element. */
export function createBringBack(element: HostElement, text: (key: HostTextKey) => string) {
  /** The last try has left some of it in the element, without what was exported. */
  let halfDone = false;
  const sessionOf = (state: object | null) => (state as { sessionId?: string | null } | null)?.sessionId ?? null;

  function isThere({ waiting, inWork }: RunRecord, sessionId: string): boolean {
    const isUploaded = (id: string) => element.items.some((item) => item.clientRef === id && item.imageId);
    return !halfDone && sessionOf(element.getState()) === sessionId && waiting.filter(isUploaded).length >= inWork;
  }

  /**
   * Resolves when the images that a record has at the service are in the element, with their results; also when the service
   * has forgotten them: those are made anew.
   * @throws HostError when neither is known: who went on now would pay again
   */
  return async function bringBack(record: RunRecord): Promise<void> {
    const sessionId = sessionOf(record.element);
    if (!record.element || !sessionId || record.inWork === 0 || isThere(record, sessionId)) return;
    const others = element.items.length > 0 && sessionOf(element.getState()) !== sessionId;
    if (others && !halfDone) throw new HostError('locked', text('host.other_images'));
    let problem: HostError | null = null;
    let gone = false;
    const notice = (event: Event) => {
      const { error, phase } = (event as CustomEvent<{ error: { code: string; message: string }; phase: string }>)
        .detail;
      if (phase !== 'attach' && phase !== 'export') return;
      if (error.code === 'not_found') gone = true;
      else problem ??= new HostError(error.code === 'aborted' ? 'stopped' : 'failed', error.message);
    };
    element.addEventListener('io-error', notice);
    try {
      await element.restore(record.element);
      await settled(element);
    } catch (error) {
      problem ??= toHostError(error);
    } finally {
      element.removeEventListener('io-error', notice);
    }
    const known = gone || (sessionOf(element.getState()) === sessionId && element.state !== 'error');
    halfDone = problem !== null || !known;
    if (halfDone) throw problem ?? new HostError('failed', text('host.failed'));
  };
}

/** Resolves when an element does nothing of its own any more: a restored one may have joined an export. */
async function settled(element: HostElement): Promise<void> {
  const busy = () => ['uploading', 'analyzing', 'sampling', 'exporting'].includes(element.state);
  while (busy()) {
    await new Promise<void>((resolve) => {
      element.addEventListener('io-state-change', () => resolve(), { once: true });
    });
  }
}
