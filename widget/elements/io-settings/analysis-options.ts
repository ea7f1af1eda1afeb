import { html, nothing, type TemplateResult } from 'lit';
import type { AnalyzeOptions } from '#contract';
import type { I18n } from '../../i18n/index.ts';

/** Options of the analysis. The service chooses missing ones. */
export type AnalysisOptions = Partial<
  Pick<AnalyzeOptions, 'language' | 'context' | 'keywords' | 'brandVoice' | 'overwrite'>
>;

/** Languages offered by name. The service accepts any. */
const LANGUAGES = 'ar cs da de el en es fi fr he hi hu id it ja ko nb nl pl pt pt-BR ro ru sv th tr uk vi zh'.split(
  ' ',
);
const MAX_KEYWORDS = 20;

/** Most characters of the context. */
export const CONTEXT_LENGTH = 1000;

/** Renders the fields for language, context, keywords and tone. Calls `onChange` when a changed field is left. */
export function renderAnalysisOptions({
  options,
  disabled,
  i18n,
  onChange,
}: {
  options: AnalysisOptions;
  disabled: boolean;
  i18n: I18n;
  onChange: (change: AnalysisOptions) => void;
}): TemplateResult {
  const { t } = i18n;
  const tooMany = (options.keywords?.length ?? 0) > MAX_KEYWORDS;
  const textOf = (event: Event) => (event.target as HTMLInputElement).value.trim();
  return html`
    <details class="analysis">
      <summary>${t('settings.analysis')}</summary>
      <div class="fields">
        <label class="field">
          <span class="label">${t('settings.language')}</span>
          <select class="input" ?disabled=${disabled} @change=${(event: Event) => onChange({ language: textOf(event) || undefined })}>
            <option value="" .selected=${!options.language}>${t('settings.language-auto')}</option>
            ${nameLanguages(options.language, i18n.locale).map(
              ([tag, name]) => html`<option value=${tag} .selected=${tag === options.language}>${name}</option>`,
            )}
          </select>
        </label>
        <label class="field">
          <span class="label">${t('settings.voice')}</span>
          <input class="input" maxlength="500" .value=${options.brandVoice ?? ''} ?disabled=${disabled}
            placeholder=${t('settings.voice-example')}
            @change=${(event: Event) => onChange({ brandVoice: textOf(event) || undefined })} />
        </label>
        <label class="field wide">
          <span class="label">${t('settings.context')}</span>
          <textarea class="input" rows="2" maxlength=${CONTEXT_LENGTH} .value=${options.context ?? ''} ?disabled=${disabled}
            @change=${(event: Event) => onChange({ context: textOf(event) || undefined })}></textarea>
        </label>
        <div class="field wide">
          <label class="label" for="keywords">${t('settings.keywords')}</label>
          <input class="input" id="keywords" .value=${(options.keywords ?? []).join(', ')} ?disabled=${disabled}
            aria-invalid=${tooMany ? 'true' : nothing} aria-describedby="keywords-hint"
            @change=${(event: Event) => onChange({ keywords: parseKeywords(textOf(event)) })} />
          <span id="keywords-hint" class=${tooMany ? 'error' : 'hint'}>
            ${tooMany ? t('settings.keywords-limit', { count: MAX_KEYWORDS }) : t('settings.keywords-hint')}
          </span>
        </div>
        <label class="check wide">
          <input type="checkbox" .checked=${options.overwrite ?? false} ?disabled=${disabled}
            @change=${(event: Event) => onChange({ overwrite: (event.target as HTMLInputElement).checked })} />
          <span>${t('settings.overwrite')}</span>
        </label>
      </div>
    </details>
  `;
}

/** Splits a text into unique keywords at commas (also Arabic and Japanese ones), semicolons and line breaks. */
export function parseKeywords(text: string): string[] {
  const words = text.split(/[,;،、，\n]/).map((word) => word.trim());
  return [...new Set(words.filter(Boolean))];
}

function nameLanguages(chosen: string | undefined, locale: string): [string, string][] {
  const names = new Intl.DisplayNames([locale], { type: 'language', fallback: 'code' });
  const tags = !chosen || LANGUAGES.includes(chosen) ? LANGUAGES : [...LANGUAGES, chosen];
  const order = new Intl.Collator(locale);
  return tags.map((tag): [string, string] => [tag, nameOf(names, tag)]).sort((a, b) => order.compare(a[1], b[1]));
}

function nameOf(names: Intl.DisplayNames, tag: string): string {
  try {
    return names.of(tag) ?? tag;
  } catch {
    return tag; // Not a language tag: set by the page.
  }
}
