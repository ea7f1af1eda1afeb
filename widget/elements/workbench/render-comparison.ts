import { html, nothing, type TemplateResult } from 'lit';
import { PRESETS, type Preset, visibleDifference } from '#contract/constants';
import type { CompareChangeDetail, ComparePair } from '../io-compare/index.ts';
import { renderTop } from './render-top.ts';
import type { WorkbenchContext } from './workbench-context.ts';

/** Renders the comparison with the choice of other presets, unless samples are switched off. */
export function renderComparison(
  context: WorkbenchContext,
  { pairs, index }: { pairs: readonly ComparePair[]; index: number },
  close: (event: Event) => void,
): TemplateResult {
  const { i18n, trials, noSample, locked } = context;
  const onChange = ({ detail }: CustomEvent<CompareChangeDetail>) => trials.show(detail.id);
  return html`
    <dialog class="dialog wide" aria-labelledby="dialog-title" @close=${close}>
      ${renderTop(i18n, 'compare.dialog')}
      <io-compare .i18n=${i18n} .pairs=${pairs.map((pair) => trials.pairOf(pair))} .index=${index}
        exportparts="compare, compare-handle" @io-compare-change=${onChange}></io-compare>
      ${noSample || locked ? nothing : renderPresets(context)}
    </dialog>
  `;
}

/** Renders the presets, each with the bytes and the quality of the shown image as soon as it was tried. */
function renderPresets({ i18n, trials, optimizer }: WorkbenchContext): TemplateResult {
  const { t } = i18n;
  const preset = trials.preset as Preset;
  const name = t(`settings.preset-${preset}`);
  const error = trials.trial(preset)?.error;
  return html`
    <div class="presets" role="group" aria-label=${t('settings.preset')}>
      ${PRESETS.map(
        (each) => html`<button type="button" class="button" part="button" aria-pressed=${each === preset}
          @click=${() => trials.choose(each)}><span>${t(`settings.preset-${each}`)}</span>
          <span class="small muted numbers">${describeTrial(each, i18n, trials)}</span></button>`,
      )}
    </div>
    <div class="ways trial">
      ${error ? html`<p role="alert" class="error">${error}</p>` : nothing}
      <button type="button" class="button" part="button" aria-disabled=${optimizer.settings.preset === preset}
        @click=${() => optimizer.setSettings({ preset })}>${t('trial.use', { preset: name })}</button>
    </div>
  `;
}

function describeTrial(
  preset: Preset,
  { t, formatBytes }: WorkbenchContext['i18n'],
  trials: WorkbenchContext['trials'],
): string {
  const trial = trials.trial(preset);
  if (!trial) return '';
  const { result, error } = trial;
  if (!result) return error ? t('row.failed') : t('trial.running');
  const { score } = result.quality as { score?: number | null };
  const bytes = formatBytes(result.variants.find(({ name }) => name === 'full')?.size ?? result.original.size);
  return typeof score === 'number' ? `${bytes}, ${t(`quality.${visibleDifference(score)}`)}` : bytes;
}
