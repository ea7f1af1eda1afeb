// The status of attachments, in the list, in their details and in the media modal: its buttons.
import { createRest, RestError } from './rest.ts';
import { type LibraryImage, readConfig } from './site-config.ts';

const config = readConfig();
const rest = createRest(config);

document.addEventListener('click', (event) => {
  const button = (event.target as Element).closest<HTMLButtonElement>('[data-imagewright-action]');
  const status = button?.closest<HTMLElement>('[data-imagewright-id]');
  if (!button || !status) return;
  event.preventDefault();
  void act(status, button.dataset.imagewrightAction === 'restore' ? 'restore' : 'optimize');
});

/** Buttons come disabled: nobody presses one before this script listens. Some come later, with the media modal. */
function takeOver(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-imagewright-waits]')) {
    button.disabled = false;
    button.removeAttribute('data-imagewright-waits');
  }
}
new MutationObserver(takeOver).observe(document.body, { childList: true, subtree: true });
takeOver();

/** Optimizes or restores one attachment and shows what came of it. */
async function act(status: HTMLElement, action: 'optimize' | 'restore', force = false): Promise<void> {
  const id = Number(status.dataset.imagewrightId);
  const text = status.querySelector('.imagewright-status-text');
  const buttons = [...status.querySelectorAll('button')];
  for (const button of buttons) button.disabled = true;
  if (text) text.textContent = config.strings.working ?? '';
  try {
    // The button names the price of the image alone: texts are for bulk runs, which tell what they add.
    const json = action === 'restore' ? { force } : { fillText: false, allowLarger: force };
    const done = await rest.call<LibraryImage & { html: string }>('POST', `/attachments/${id}/${action}`, { json });
    // Made and escaped by the same PHP that made what is there.
    status.outerHTML = done.html;
    takeOver();
    document.querySelector<HTMLElement>(`[data-imagewright-id="${id}"] button`)?.focus();
    // The modal's own picture of the attachment.
    window.wp?.media?.attachment?.(id).fetch();
  } catch (error) {
    if (!(error instanceof RestError)) throw error;
    for (const button of buttons) button.disabled = false;
    if (text) text.textContent = error.message;
    const question = force ? null : questionOf(error);
    if (question && window.confirm(question)) await act(status, action, true);
  }
}

/** What a person may decide to do in spite of an error, as a question. */
function questionOf({ code, message, data }: RestError): string | null {
  const { needs, paid } = (data.details ?? {}) as { needs?: string; paid?: boolean };
  const { restoreForce = '', restoreLost = '', largerPaid = '', largerCosts = '' } = config.strings;
  if (needs === 'allowLarger') return `${message} ${paid ? largerPaid : largerCosts}`;
  if (needs !== 'force') return null;
  return code === 'imagewright_edited' ? restoreForce : `${message} ${restoreLost}`;
}
