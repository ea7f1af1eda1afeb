import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { MAX_RESPONSIVE_SIZES, RESPONSIVE_EDGE } from '#contract/constants';
import type { I18n } from '../../i18n/index.ts';
import { icon } from '../../styles/index.ts';
import { isEdge, type SizeRow } from './size-rows.ts';

/** Values and callbacks of the size editor. */
export interface SizeEditor {
  rows: readonly SizeRow[];
  /** Text below the rows, e.g. about a duplicate size. */
  note: string;
  disabled: boolean;
  i18n: I18n;
  /** Called on each input. */
  onInput: (key: number, change: Partial<SizeRow>) => void;
  /** Called if a field is left or Enter is pressed. */
  onCommit: () => void;
  onAdd: () => void;
  onRemove: (key: number) => void;
  onReset: () => void;
}

/** Renders rows of width, height and fit, with buttons to add and remove. */
export function renderSizeEditor(editor: SizeEditor): TemplateResult {
  const { t } = editor.i18n;
  const full = editor.rows.length >= MAX_RESPONSIVE_SIZES;
  return html`
    <div class="sizes" role="group" aria-label=${t('settings.sizes')} @change=${editor.onCommit}>
      <ul>
        ${repeat(
          editor.rows,
          (row) => row.key,
          (row) => renderRow(row, editor),
        )}
      </ul>
      <div class="size-tools">
        <button type="button" class="button quiet" ?disabled=${editor.disabled} aria-disabled=${full} @click=${editor.onAdd}>
          ${icon('add')}${t('settings.add-size')}
        </button>
        <button type="button" class="button quiet" ?disabled=${editor.disabled} @click=${editor.onReset}>
          ${t('settings.standard-sizes')}
        </button>
        <span class="hint" role="status">${editor.note}</span>
      </div>
    </div>
  `;
}

function renderRow(row: SizeRow, editor: SizeEditor): TemplateResult {
  const { t } = editor.i18n;
  const isAuto = row.height.trim() === '';
  const wrong = { width: !isEdge(row.width), height: !isAuto && !isEdge(row.height) };
  return html`
    <li>
      ${renderEdge('width', wrong.width, row, editor)}
      <span class="times" aria-hidden="true">×</span>
      ${renderEdge('height', wrong.height, row, editor)}
      ${
        isAuto
          ? nothing
          : html`
              <label class="fit">
                <span class="visually-hidden">${t('settings.fit')}</span>
                <select
                  class="input"
                  .value=${row.fit}
                  ?disabled=${editor.disabled}
                  @change=${(event: Event) =>
                    editor.onInput(row.key, { fit: (event.target as HTMLSelectElement).value as SizeRow['fit'] })}
                >
                  <option value="inside">${t('settings.fit-inside')}</option>
                  <option value="cover" .selected=${row.fit === 'cover'}>${t('settings.fit-cover')}</option>
                </select>
              </label>
            `
      }
      <button
        type="button"
        class="button quiet icon-only"
        ?disabled=${editor.disabled}
        aria-label=${t('settings.remove-size', { width: row.width })}
        @click=${() => editor.onRemove(row.key)}
      >
        ${icon('close')}
      </button>
      ${
        wrong.width || wrong.height
          ? html`<p class="error" id="error-${row.key}">${t('settings.size-range', RESPONSIVE_EDGE)}</p>`
          : nothing
      }
    </li>
  `;
}

function renderEdge(name: 'width' | 'height', wrong: boolean, row: SizeRow, editor: SizeEditor): TemplateResult {
  const { t } = editor.i18n;
  return html`
    <label>
      <span class="visually-hidden">${t(`settings.${name}`)}</span>
      <input
        class="input numbers"
        inputmode="numeric"
        autocomplete="off"
        name="${name}-${row.key}"
        placeholder=${name === 'height' ? t('settings.height-auto') : nothing}
        .value=${row[name]}
        ?disabled=${editor.disabled}
        aria-invalid=${wrong ? 'true' : nothing}
        aria-describedby=${wrong ? `error-${row.key}` : nothing}
        @input=${(event: Event) => editor.onInput(row.key, { [name]: (event.target as HTMLInputElement).value })}
      />
    </label>
  `;
}
