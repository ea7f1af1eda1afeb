import { html, type TemplateResult } from 'lit';
import type { I18n } from '../../i18n/index.ts';
import type { Settings } from '../../state/index.ts';
import { carriesHdr } from '../io-row/index.ts';
import type { OptionsEditDetail, SettingsEditDetail } from '../io-settings/index.ts';
import { renderTop } from './render-top.ts';
import { isRunning, type WorkbenchContext } from './workbench-context.ts';

/** Formats and quality in words, e.g. `WebP + JPEG · High`. */
export const nameSettings = ({ format, formats = [format], preset }: Settings, { t }: I18n): string =>
  `${formats.map((each) => t(`settings.format-${each}`)).join(' + ')} · ${t(`settings.preset-${preset}`)}`;

/** Renders the settings of the next export in a line, with the button that opens them. */
export function renderSettingsLine({ optimizer, i18n, act }: WorkbenchContext): TemplateResult {
  const { settings } = optimizer;
  const { t } = i18n;
  return html`<p class="settings numbers"><span>${nameSettings(settings, i18n)}${
    settings.responsive ? ` · ${t('settings.responsive')}` : ''
  }</span>
    <button type="button" class="link" part="button" aria-haspopup="dialog" @click=${() => act('settings')}>${t('settings.change')}</button></p>`;
}

/** Renders the settings in a sheet at the side of the window. */
export function renderSettings(context: WorkbenchContext, close: (event: Event) => void): TemplateResult {
  const { optimizer, i18n, locked, noAnalyze, analyzeOptions, setAnalyzeOptions } = context;
  return html`
    <dialog class="dialog sheet" aria-labelledby="dialog-title" @close=${close}>
      ${renderTop(i18n, 'settings.title')}
      <io-settings exportparts="settings" .i18n=${i18n} .settings=${optimizer.settings} .options=${analyzeOptions}
        .hdr=${optimizer.items.list().some(carriesHdr)} .noAnalyze=${noAnalyze} .disabled=${locked || isRunning(optimizer)}
        @io-settings-edit=${({ detail }: CustomEvent<SettingsEditDetail>) => optimizer.setSettings(detail.settings)}
        @io-options-edit=${({ detail }: CustomEvent<OptionsEditDetail>) => setAnalyzeOptions({ ...detail.options })}>
        <slot name="settings-extra"></slot>
      </io-settings>
    </dialog>
  `;
}
