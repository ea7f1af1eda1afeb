import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { I18n } from '../i18n/index.ts';
import { languagesOf, type Optimizer } from '../state/index.ts';
import { createLanguageNames } from './name-language.ts';

/** Renders the choice of the language in which texts are shown and edited, for images with texts in several. */
export function renderLanguages(optimizer: Optimizer, { t, locale }: I18n): TemplateResult | typeof nothing {
  const languages = languagesOf(optimizer.items.list());
  if (languages.length < 2) return nothing;
  const chosen = optimizer.settings.language ?? languages[0];
  const nameOf = createLanguageNames(locale);
  return html`
    <select class="input language" part="input" aria-label=${t('settings.language')} .value=${live(chosen ?? '')}
      @change=${({ target }: Event) => optimizer.setSettings({ language: (target as HTMLSelectElement).value })}>
      ${languages.map((tag) => html`<option value=${tag} ?selected=${tag === chosen}>${nameOf(tag)}</option>`)}
    </select>
  `;
}
