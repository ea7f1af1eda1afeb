import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { AnalyzeOptions } from '#contract';
import { MAX_LANGUAGES } from '#contract/constants';
import type { I18n } from '../../i18n/index.ts';
import { icon } from '../../styles/index.ts';
import { createLanguageNames } from '../name-language.ts';

/** Options of the analysis. The service chooses missing ones. */
export type AnalysisOptions = Partial<
  Pick<AnalyzeOptions, 'language' | 'languages' | 'context' | 'keywords' | 'brandVoice' | 'overwrite'>
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
  const [first = options.language, ...further] = options.languages ?? [];
  const tooMany = (options.keywords?.length ?? 0) > MAX_KEYWORDS;
  const textOf = (event: Event) => (event.target as HTMLInputElement).value.trim();
  return html`
    <details class="analysis">
      <summary>${t('settings.analysis')}</summary>
      <div class="fields">
        <label class="field">
          <span class="label">${t('settings.language')}</span>
          <select class="input" ?disabled=${disabled} @change=${(event: Event) => onChange(inLanguages(textOf(event), further))}>
            <option value="" .selected=${!first}>${t('settings.language-auto')}</option>
            ${nameLanguages(first, i18n.locale).map(
              ([tag, name]) => html`<option value=${tag} .selected=${tag === first}>${name}</option>`,
            )}
          </select>
        </label>
        ${first ? renderFurther(first, further, { disabled, i18n, onChange }) : nothing}
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

/** Renders the languages beside the first one: each with a button that removes it, and a choice that adds one. */
function renderFurther(
  first: string,
  further: readonly string[],
  {
    disabled,
    i18n: { t, locale },
    onChange,
  }: Pick<Parameters<typeof renderAnalysisOptions>[0], 'disabled' | 'i18n' | 'onChange'>,
): TemplateResult {
  const nameOf = createLanguageNames(locale);
  const spare = nameLanguages(undefined, locale).filter(([tag]) => tag !== first && !further.includes(tag));
  const add = ({ target }: Event) => onChange(inLanguages(first, [...further, (target as HTMLSelectElement).value]));
  return html`
    <div class="field further">
      <label class="label" for="further">${t('settings.language-further')}</label>
      <select class="input" id="further" ?disabled=${disabled || further.length >= MAX_LANGUAGES - 1} .value=${live('')} @change=${add}>
        <option value="">–</option>
        ${spare.map(([tag, name]) => html`<option value=${tag}>${name}</option>`)}
      </select>
      ${further.map(
        (tag) => html`<button type="button" class="button" part="button" ?disabled=${disabled}
          aria-label="${t('action.remove')}: ${nameOf(tag)}"
          @click=${() =>
            onChange(
              inLanguages(
                first,
                further.filter((one) => one !== tag),
              ),
            )}>${nameOf(tag)} ${icon('close')}</button>`,
      )}
    </div>
  `;
}

/** Returns the options for a first language, empty for that of the page, and further ones. */
function inLanguages(first: string, further: readonly string[]): AnalysisOptions {
  const others = further.filter((tag) => tag !== first);
  if (!first || others.length === 0) return { language: first || undefined, languages: undefined };
  return { language: undefined, languages: [first, ...others] };
}

function nameLanguages(chosen: string | undefined, locale: string): [string, string][] {
  const nameOf = createLanguageNames(locale);
  const tags = !chosen || LANGUAGES.includes(chosen) ? LANGUAGES : [...LANGUAGES, chosen];
  const order = new Intl.Collator(locale);
  return tags.map((tag): [string, string] => [tag, nameOf(tag)]).sort((a, b) => order.compare(a[1], b[1]));
}
