import { html, type TemplateResult } from 'lit';
import type { I18n } from '../../i18n/index.ts';
import type { Settings } from '../../state/index.ts';
import { icon } from '../../styles/index.ts';
import { carriesHdr } from '../io-row/index.ts';
import type { OptionsEditDetail, SettingsEditDetail } from '../io-settings/index.ts';
import { isRunning, type WorkbenchContext } from './workbench-context.ts';

/** Formats and quality in words, e.g. `WebP + JPEG · High`. */
export const nameSettings = ({ format, formats = [format], preset }: Settings, { t }: I18n): string =>
  `${formats.map((each) => t(`settings.format-${each}`)).join(' + ')} · ${t(`settings.preset-${preset}`)}`;

/** Renders the export settings: folded to one line in narrow layouts, open in wide ones. */
export function renderSettings(context: WorkbenchContext): TemplateResult {
  const { optimizer, i18n, locked, noAnalyze, settingsOpen, analyzeOptions, act, setAnalyzeOptions } = context;
  const { t } = i18n;
  const { settings } = optimizer;
  return html`
    <section class="panel ${settingsOpen ? '' : 'closed'}" aria-labelledby="settings-title">
      <h3 id="settings-title">
        <span class="plain">${t('settings.title')}</span>
        <button type="button" class="fold" aria-expanded=${settingsOpen} aria-controls="settings"
          @click=${() => act('toggle-settings')}>
          ${icon('settings')}<span>${t('settings.title')} <span class="muted">${nameSettings(settings, i18n)}${
            settings.responsive ? ` · ${t('settings.responsive')}` : ''
          }</span></span>${icon('down')}</button>
      </h3>
      <div class="content" id="settings">
        <io-settings exportparts="settings" .i18n=${i18n} .settings=${settings} .options=${analyzeOptions}
          .hdr=${optimizer.items.list().some(carriesHdr)} .noAnalyze=${noAnalyze} .disabled=${locked || isRunning(optimizer)}
          @io-settings-edit=${({ detail }: CustomEvent<SettingsEditDetail>) => optimizer.setSettings(detail.settings)}
          @io-options-edit=${({ detail }: CustomEvent<OptionsEditDetail>) => setAnalyzeOptions({ ...detail.options })}>
          <slot name="settings-extra"></slot>
        </io-settings>
      </div>
    </section>
  `;
}
