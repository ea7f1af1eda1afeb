import type { HostElement } from './host-element.ts';
import { HostError, toHostError } from './host-error.ts';
import type { HostTextKey } from './host-texts.ts';
import type { RunRecord } from './journal.ts';

/** State of rehydrating one element. */
interface Rehydration {
  element: HostElement;
  text: (key: HostTextKey) => string;
  /** True if the last try left images in the element without their results. */
  incomplete: boolean;
}

/**
 * Creates the function that brings the images of an interrupted run back into an element. It resolves once the uploaded
 * images of a record are in the element with their results, or if the service no longer has them: those are made again.
 * The function throws HostError if neither is certain, since resuming could then pay twice.
 */
export function createRehydrate(
  element: HostElement,
  text: (key: HostTextKey) => string,
): (record: RunRecord) => Promise<void> {
  const rehydration: Rehydration = { element, text, incomplete: false };
  return (record) => rehydrate(rehydration, record);
}

async function rehydrate(state: Rehydration, record: RunRecord): Promise<void> {
  const { element, text } = state;
  const sessionId = sessionOf(record.element);
  if (!record.element || !sessionId || record.inWork === 0 || isComplete(state, record, sessionId)) return;
  const hasOthers = element.items.length > 0 && sessionOf(element.getState()) !== sessionId;
  if (hasOthers && !state.incomplete) throw new HostError('locked', text('host.other_images'));
  let problem: HostError | null = null;
  let hasEnded = false;
  const notice = (event: Event) => {
    const { error, phase } = (event as CustomEvent<{ error: { code: string; message: string }; phase: string }>).detail;
    if (phase !== 'attach' && phase !== 'export') return;
    if (error.code === 'not_found') hasEnded = true;
    else problem ??= new HostError(error.code === 'aborted' ? 'stopped' : 'failed', error.message);
  };
  element.addEventListener('io-error', notice);
  try {
    await element.restore(record.element);
    await untilIdle(element);
  } catch (error) {
    problem ??= toHostError(error);
  } finally {
    element.removeEventListener('io-error', notice);
  }
  const known = hasEnded || (sessionOf(element.getState()) === sessionId && element.state !== 'error');
  state.incomplete = problem !== null || !known;
  if (state.incomplete) throw problem ?? new HostError('failed', text('host.failed'));
}

/** Tests whether the uploaded images of a record are in the element. */
function isComplete({ element, incomplete }: Rehydration, { waiting, inWork }: RunRecord, sessionId: string): boolean {
  const isUploaded = (id: string) => element.items.some((item) => item.clientRef === id && item.imageId);
  return !incomplete && sessionOf(element.getState()) === sessionId && waiting.filter(isUploaded).length >= inWork;
}

function sessionOf(state: object | null): string | null {
  return (state as { sessionId?: string | null } | null)?.sessionId ?? null;
}

/** Waits until the element is idle: a restored element may have joined an export. */
async function untilIdle(element: HostElement): Promise<void> {
  const isBusy = () => ['uploading', 'analyzing', 'sampling', 'exporting'].includes(element.state);
  while (isBusy()) {
    await new Promise<void>((resolve) => {
      element.addEventListener('io-state-change', () => resolve(), { once: true });
    });
  }
}
