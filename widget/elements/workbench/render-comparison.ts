import { html, nothing, type TemplateResult } from 'lit';
import { PRESETS, type Preset } from '#contract/constants';
import type { CompareChangeDetail, ComparePair, MeasuredQuality } from '../io-compare/index.ts';
import { nameSaving } from '../name-saving.ts';
import { renderClose } from '../render-close.ts';
import { nameDifference } from '../render-difference.ts';
import type { WorkbenchContext } from './workbench-context.ts';

/** Renders the comparison with the choice of other presets, unless samples are switched off. */
export function renderComparison(
  context: WorkbenchContext,
  { pairs, index }: { pairs: readonly ComparePair[]; index: number },
  close: (event: Event) => void,
): TemplateResult {
  const { i18n, trials, noSample, locked } = context;
  const onChange = ({ detail }: CustomEvent<CompareChangeDetail>) => trials.show(detail.id);
  const plain = noSample || locked;
  return html`
    <dialog class="dialog whole comparison" aria-label=${i18n.t('compare.dialog')} @close=${close}>
      <io-compare .i18n=${i18n} .pairs=${pairs.map((pair) => trials.pairOf(pair))} .index=${index} .brief=${!plain}
        exportparts="compare, compare-handle" @io-compare-change=${onChange}>
        <form method="dialog" slot="close">${renderClose(i18n)}</form>
      </io-compare>
      ${plain ? nothing : renderPresets(context)}
    </dialog>
  `;
}

/** Renders the presets in a row, each with the bytes and the quality of the shown image, and the button that takes the shown one. */
function renderPresets({ i18n, trials, optimizer }: WorkbenchContext): TemplateResult {
  const { t } = i18n;
  const preset = trials.preset as Preset;
  const error = trials.trial(preset)?.error;
  const use = ({ currentTarget }: Event) => {
    // The button goes.
    (currentTarget as Element).parentElement?.querySelector<HTMLElement>('[aria-pressed=true]')?.focus();
    optimizer.setSettings({ preset });
  };
  return html`
    <div class="choose">
      <div class="presets" role="group" aria-label=${t('settings.preset')}>
        ${PRESETS.map(
          (each) => html`<button type="button" class="button" part="button" aria-pressed=${each === preset}
            @click=${() => trials.choose(each)}><span>${t(`settings.preset-${each}`)}</span>
            ${describeTrial(each, i18n, trials).map((line) => html` <span class="small muted numbers">${line}</span>`)}</button>`,
        )}
      </div>
      ${error ? html`<p role="alert" class="error">${error}</p>` : nothing}
      ${
        optimizer.settings.preset === preset
          ? nothing
          : html`<button type="button" class="button primary" part="button button-primary"
              @click=${use}>${t('trial.use', { preset: t(`settings.preset-${preset}`) })}</button>`
      }
    </div>
  `;
}

/** Returns bytes with the saving, and how far the difference is visible. */
function describeTrial(preset: Preset, i18n: WorkbenchContext['i18n'], trials: WorkbenchContext['trials']): string[] {
  const { t, formatBytes } = i18n;
  const trial = trials.trial(preset);
  if (!trial) return [];
  const { result, error } = trial;
  if (!result) return [t(error ? 'row.failed' : 'trial.running')];
  const { original, quality, variants } = result;
  const size = variants.find(({ name }) => name === 'full')?.size ?? original.size;
  const bytes = `${formatBytes(size)} · ${nameSaving(original.size, size, i18n)}`;
  return [bytes, ...nameDifference(quality as MeasuredQuality, i18n)];
}
