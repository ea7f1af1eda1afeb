import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import {
  MAX_RESPONSIVE_SIZES,
  type MetadataLevel,
  OUTPUT_FORMATS,
  type OutputFormat,
  PRESETS,
} from '#contract/constants';
import { hasCrops, levelOf, type Settings } from '../../state/index.ts';
import { controls, foundation } from '../../styles/index.ts';
import { TranslatedElement } from '../translated-element.ts';
import { type AnalysisOptions, renderAnalysisOptions } from './analysis-options.ts';
import { renderChoices } from './choices.ts';
import { settingsStyles } from './io-settings.styles.ts';
import { renderMore } from './more-settings.ts';
import { renderSizeEditor } from './size-editor.ts';
import { createRow, isComplete, mergeRows, rowsOf, type SizeRow, sizesOf, suggestWidth } from './size-rows.ts';

/** Levels of metadata, the default first. */
const LEVELS: readonly MetadataLevel[] = ['rights', 'all-but-private', 'none'];

/** Settings of the switches, with their values if these are on and off. */
const SWITCHES = {
  responsive: ['responsive', true, false],
  embed: ['embedMetadata', true, false],
  hdr: ['hdr', 'keep', undefined],
  placeholder: ['placeholder', true, undefined],
} as const;

/** Details of `io-settings-edit`. */
export interface SettingsEditDetail {
  settings: Settings;
}

/** Details of `io-options-edit`. */
export interface OptionsEditDetail {
  options: AnalysisOptions;
}

/**
 * Form for the settings of exports and of the analysis. A choice is reported by an event and shown once it is set as a
 * property.
 *
 * @tag io-settings
 * @fires {CustomEvent<SettingsEditDetail>} io-settings-edit - A setting was chosen; the detail has all settings.
 * @fires {CustomEvent<OptionsEditDetail>} io-options-edit - An option of the analysis was chosen; the detail has all options.
 * @csspart settings - The form.
 * @slot - Further settings, at the end.
 */
export class IoSettings extends TranslatedElement {
  static override styles = [foundation, ...controls, settingsStyles];
  static override properties = {
    settings: { attribute: false },
    options: { attribute: false },
    noAnalyze: { type: Boolean, attribute: 'no-analyze' },
    hdr: { type: Boolean },
    disabled: { type: Boolean },
    rows: { state: true },
    note: { state: true },
  };

  /** Settings of an export. */
  declare settings: Settings;
  /** Options of the analysis. */
  declare options: AnalysisOptions;
  /** Hides the options of the analysis. */
  declare noAnalyze: boolean;
  /** Offers to keep HDR photographs as they are. */
  declare hdr: boolean;
  /** Disables all fields. */
  declare disabled: boolean;
  /** Sizes as typed. Invalid ones are kept here and not reported. */
  declare protected rows: readonly SizeRow[];
  declare protected note: string;

  constructor() {
    super();
    this.settings = { format: 'webp', preset: 'high', responsive: false };
    this.options = {};
    this.noAnalyze = false;
    this.hdr = false;
    this.disabled = false;
    this.rows = rowsOf(undefined);
    this.note = '';
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    // Only sizes set by the page replace the fields, so that typing is not overwritten.
    const told = this.settings.responsiveSizes;
    if (!changed.has('settings') || sameSizes(told, changed.get('settings')?.responsiveSizes)) return;
    if (!sameSizes(told, sizesOf(this.rows)) || told === undefined) this.rows = rowsOf(told);
  }

  protected override render(): TemplateResult {
    const { settings, disabled, i18n } = this;
    return html`
      <div class="settings" part="settings">
        ${renderChoices({
          name: 'format',
          values: OUTPUT_FORMATS,
          value: settings.format,
          disabled,
          i18n,
          onChoose: (format) => this.#edit({ format, formats: mainFirst(format, settings.formats) }),
        })}
        ${renderChoices({
          name: 'preset',
          values: PRESETS,
          value: settings.preset,
          disabled,
          i18n,
          onChoose: (preset) => this.#edit({ preset }),
        })}
        <div class="group">
          ${this.#renderSwitch('responsive')}
          ${settings.responsive ? this.#renderSizes() : nothing}
          ${hasCrops(settings) ? html`<p class="hint">${i18n.t('settings.crops-hint', { review: i18n.t('reviewing.title') })}</p>` : nothing}
        </div>
        ${renderChoices({
          name: 'metadata',
          values: LEVELS,
          value: levelOf(settings),
          disabled,
          i18n,
          onChoose: (metadata) => this.#edit({ metadata, keepCopyright: undefined }),
        })}
        ${this.hdr || settings.hdr === 'keep' ? this.#renderSwitch('hdr') : nothing}
        ${this.#renderSwitch('embed')}
        ${renderMore(
          { settings, disabled, i18n, onChange: (change) => this.#edit(change) },
          this.#renderSwitch('placeholder'),
        )}
        ${
          this.noAnalyze
            ? nothing
            : renderAnalysisOptions({
                options: this.options,
                disabled,
                i18n,
                onChange: (change) => this.#choose(change),
              })
        }
        <slot></slot>
      </div>
    `;
  }

  #renderSwitch(name: keyof typeof SWITCHES): TemplateResult {
    const { t } = this.i18n;
    const [setting, on, off] = SWITCHES[name];
    const change = ({ target }: Event) => this.#edit({ [setting]: (target as HTMLInputElement).checked ? on : off });
    return html`
      <div>
        <label class="switch">
          <input
            type="checkbox"
            role="switch"
            name=${setting}
            .checked=${this.settings[setting] === on}
            ?disabled=${this.disabled}
            aria-describedby="hint-${name}"
            @change=${change}
          />
          <span class="label">${t(`settings.${name}`)}</span>
        </label>
        <p class="hint" id="hint-${name}">${t(`settings.${name}-hint`)}</p>
      </div>
    `;
  }

  #renderSizes(): TemplateResult {
    return renderSizeEditor({
      rows: this.rows,
      note: this.note,
      disabled: this.disabled,
      i18n: this.i18n,
      onInput: (key, change) => {
        this.rows = this.rows.map((row) => (row.key === key ? { ...row, ...change } : row));
      },
      onCommit: () => this.#commitSizes(),
      onAdd: () => void this.#addSize(),
      onRemove: (key) => void this.#removeSize(key),
      onReset: () => {
        this.rows = rowsOf(undefined);
        this.note = '';
        this.#edit({ responsiveSizes: undefined });
      },
    });
  }

  #commitSizes(): void {
    const { rows, merged } = mergeRows(this.rows);
    this.rows = rows;
    this.note = merged === null ? '' : this.i18n.t('settings.size-merged', { width: merged });
    if (rows.some(isComplete)) this.#edit({ responsiveSizes: sizesOf(rows) });
  }

  async #addSize(): Promise<void> {
    if (this.rows.length >= MAX_RESPONSIVE_SIZES) {
      this.note = this.i18n.t('settings.size-limit', { count: MAX_RESPONSIVE_SIZES });
      return;
    }
    const row = createRow({ width: String(suggestWidth(this.rows)) });
    this.rows = [...this.rows, row];
    this.#commitSizes();
    await this.updateComplete;
    const field = this.renderRoot.querySelector<HTMLInputElement>(`[name="width-${row.key}"]`);
    field?.focus();
    field?.select();
  }

  async #removeSize(key: number): Promise<void> {
    const index = this.rows.findIndex((row) => row.key === key);
    this.rows = this.rows.filter((row) => row.key !== key);
    if (this.rows.length === 0) this.#edit({ responsive: false, responsiveSizes: undefined });
    else this.#commitSizes();
    await this.updateComplete;
    // The focus moves to the next row, so that several can be removed one after the other.
    const buttons = this.renderRoot.querySelectorAll<HTMLElement>('.sizes li .icon-only');
    const next = buttons[Math.min(index, buttons.length - 1)];
    (next ?? this.renderRoot.querySelector<HTMLElement>('[name="responsive"]'))?.focus();
  }

  #edit(change: Partial<Settings>): void {
    const settings = { ...this.settings, ...change };
    this.#tell<SettingsEditDetail>('io-settings-edit', { settings });
  }

  #choose(change: AnalysisOptions): void {
    this.#tell<OptionsEditDetail>('io-options-edit', { options: { ...this.options, ...change } });
  }

  #tell<Detail>(type: string, detail: Detail): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true }));
  }
}

/** Puts the main format first; none if no other one is left. */
function mainFirst(main: OutputFormat, formats: readonly OutputFormat[] = []): OutputFormat[] | undefined {
  const others = formats.slice(1).filter((each) => each !== main);
  return others.length > 0 ? [main, ...others] : undefined;
}

function sameSizes(a: Settings['responsiveSizes'], b: Settings['responsiveSizes']): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
