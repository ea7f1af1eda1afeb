import { html, nothing, type TemplateResult } from 'lit';
import { TEXT_LENGTHS } from '#contract/constants';
import { CONTEXT_LENGTH } from '../io-settings/index.ts';
import type { WorkbenchContext } from './workbench-context.ts';

/** Renders the dialog for texts of all selected images: one title, and what they are about. */
export function renderTexts(
  { optimizer, i18n, noAnalyze }: WorkbenchContext,
  close: (event: Event) => void,
): TemplateResult {
  const { t } = i18n;
  return html`
    <dialog class="dialog" aria-labelledby="dialog-title" @close=${close}>
      <h2 id="dialog-title">${t('texts.title', { count: optimizer.counts.selected })}</h2>
      <form method="dialog" class="texts" @submit=${(event: SubmitEvent) => apply(event, optimizer)}>
        <div class="field">
          <label class="label" for="many-title">${t('field.title')}</label>
          <input class="input" part="input" id="many-title" name="title" autofocus autocomplete="off" dir="auto"
            maxlength=${TEXT_LENGTHS.title} />
        </div>
        ${
          noAnalyze
            ? nothing
            : html`<div class="field">
                <label class="label" for="many-context">${t('texts.context')}</label>
                <textarea class="input" part="input" id="many-context" name="context" rows="3" dir="auto"
                  maxlength=${CONTEXT_LENGTH} aria-describedby="many-context-hint"></textarea>
                <p class="hint" id="many-context-hint">${t('texts.context-hint')}</p>
              </div>`
        }
        <div class="ways">
          <button type="button" class="button large" part="button"
            @click=${({ target }: Event) => (target as Element).closest('dialog')?.close()}>${t('action.cancel')}</button>
          <button class="button primary large" part="button button-primary">${t('texts.apply')}</button>
        </div>
      </form>
    </dialog>
  `;
}

/** Sets the title of the selected images, and describes them with the context. Empty fields change nothing. */
function apply({ target }: SubmitEvent, optimizer: WorkbenchContext['optimizer']): void {
  const given = new FormData(target as HTMLFormElement);
  const [title, context] = ['title', 'context'].map((name) => String(given.get(name) ?? '').trim());
  const ids = optimizer.items.list().flatMap(({ id, selected }) => (selected ? [id] : []));
  if (title) optimizer.setForAll(ids, 'title', title);
  // Failures are shown as notices.
  if (context) void optimizer.analyze(ids, { context }).catch(() => {});
}
