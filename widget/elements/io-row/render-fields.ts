import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { IMAGE_EXTENSION, TEXT_LENGTHS } from '#contract/constants';
import type { Item } from '../../state/index.ts';
import { copyText } from '../copy-text.ts';
import { countCharacters } from './describe-item.ts';
import type { TextField } from './edit-field.ts';
import type { RowContext } from './row-context.ts';

/** Recommended length of alternative texts, in characters. Longer texts are allowed. */
const SOFT_ALT_LIMIT = 125;

/**
 * Renders the fields of an image: alternative text, file name, title, decorative. With `about`, the id of what describes the image,
 * the names come last and the alternative text can be typed for a decorative image too.
 */
export function renderFields(
  item: Item,
  context: Pick<RowContext, 'i18n' | 'locked' | 'optimizer'>,
  draft: (field: TextField) => string | null,
  about = '',
): TemplateResult {
  const { i18n, locked, optimizer } = context;
  const { t } = i18n;
  const { metadata } = item;
  const alt = draft('alt') ?? metadata.alt ?? '';
  const count = countCharacters(alt);
  const decorative = metadata.decorative;
  const help = decorative ? 'decorative-help' : 'count';
  const look = about ? 'label' : 'visually-hidden';
  const text = (field: TextField, label: string) => html`
    <div class="field ${field}" part="field">
      <label class=${look} for=${field}>${label}</label>
      <input class="input" part="input" id=${field} data-text=${field} data-control=${field} autocomplete="off"
        spellcheck=${field === 'title'} ?readonly=${locked} maxlength=${TEXT_LENGTHS[field]}
        aria-describedby=${item.error ? 'error' : nothing} placeholder=${field === 'filename' ? item.name.replace(IMAGE_EXTENSION, '') : about ? nothing : label}
        dir=${(draft(field) ?? metadata[field]) ? 'auto' : nothing}
        .value=${live(draft(field) ?? metadata[field] ?? '')} />
    </div>
  `;
  const names = html`${text('filename', t('field.filename'))} ${text('title', t('field.title'))}`;
  return html`
    <div class="fields">
      <div class="field alt" part="field">
        <label class=${look} for="alt">${t('field.alt')}</label>
        <textarea class="input" part="input" id="alt" rows="2" maxlength=${TEXT_LENGTHS.alt} data-text="alt" data-control="alt"
          aria-describedby="${item.error ? 'error ' : ''}${help} ${about}" ?readonly=${locked} ?disabled=${decorative && !about}
          dir=${alt ? 'auto' : nothing} placeholder=${decorative ? t('field.alt-none') : about ? '' : t('field.alt-missing')} .value=${live(alt)}></textarea>
      </div>
      ${about ? nothing : names}
      <div class="below">
        <label class="check decorative" part="field">
          <input type="checkbox" part="input" data-control="decorative" ?disabled=${locked} .checked=${live(decorative)}
            @change=${(event: Event) => optimizer.setDecorative(item.id, (event.target as HTMLInputElement).checked)} />
          <span>${t('field.decorative')}</span>
        </label>
        ${
          decorative
            ? html`<span class="hint" id="decorative-help">${t('field.decorative-help')}</span>`
            : html`<span class="hint numbers ${count > SOFT_ALT_LIMIT ? 'long' : ''}" id="count">${
                count === 0
                  ? t('field.alt-missing')
                  : html`${t(count > SOFT_ALT_LIMIT ? 'field.alt-long' : 'field.alt-count', { count, limit: SOFT_ALT_LIMIT })}
                      <span class="visually-hidden">${t('field.characters')}</span>`
              }</span>`
        }
        ${
          alt && !decorative
            ? html`<button type="button" class="link copy" part="button" aria-label=${t('row.copy', { name: item.name })}
                @click=${() => void copyText(alt).then((done) => optimizer.announce(t(done ? 'take.copied' : 'take.not-copied')))}>${t('action.copy')}</button>`
            : nothing
        }
        ${
          item.saving === 'failed'
            ? html`<span class="error">${t('row.unsaved')}
                <button type="button" class="link" part="button" aria-describedby="name"
                  @click=${() => void optimizer.retry([item.id])}>${t('action.retry')}</button></span>`
            : nothing
        }
      </div>
      ${about ? names : nothing}
    </div>
  `;
}
