import { html, nothing, type TemplateResult } from 'lit';
import type { ImageResult } from '#contract';
import { encodedFormat, type InputFormat } from '#contract/constants';
import type { Settings } from '../../state/index.ts';
import { icon } from '../../styles/index.ts';
import { nameSettings } from './render-settings.ts';
import { isDone, type WorkbenchContext } from './workbench-context.ts';

/** Smallest difference that is shown; less would be written as 0 %. */
const SAME = 0.005;

/** Renders the outcome of the export, or of the sample before an export, with the buttons for its files. */
export function renderOutcome(context: WorkbenchContext): TemplateResult | typeof nothing {
  const { optimizer } = context;
  if (optimizer.outcome && optimizer.state !== 'exporting') return renderExport(context);
  return optimizer.samples.length > 0 && optimizer.state !== 'sampling' ? renderSamples(context) : nothing;
}

/** The figure with its tone, what is to be said of it, and the ways out. `stale`: not of the present settings. */
function renderSum(
  { optimizer, i18n }: WorkbenchContext,
  sum: { before: number; after: number; good: string; stale?: boolean; title: string; note: string },
  ways: unknown,
): TemplateResult {
  const { t, formatBytes, formatPercent } = i18n;
  const { before, after, stale } = sum;
  const saved = before > 0 ? 1 - after / before : 0;
  const larger = saved < -SAME;
  const tone = stale ? 'stale' : before === 0 ? 'danger' : larger ? 'warning' : saved < SAME ? 'quiet' : sum.good;
  return html`
    <section class="outcome ${tone}" aria-labelledby="outcome-title">
      <div class="figure numbers" aria-hidden="true">${
        before > 0
          ? html`${formatPercent(Math.abs(saved))} <span>${t(larger ? 'outcome.larger' : 'outcome.smaller')}</span>`
          : icon('alert')
      }</div>
      <div class="story">
        <h3 id="outcome-title">${sum.title}</h3>
        <p class="numbers">${
          before > 0
            ? html`<bdi>${t('compare.from-to', { from: formatBytes(before), to: formatBytes(after) })}</bdi> · `
            : nothing
        }<span class="muted">${sum.note}</span></p>
        ${larger && !stale ? html`<p>${t('outcome.larger-why', { settings: nameSettings(optimizer.settings, i18n) })}</p>` : nothing}
      </div>
      <div class="ways">${ways}</div>
    </section>
  `;
}

function renderExport(context: WorkbenchContext): TemplateResult | typeof nothing {
  const { optimizer, i18n } = context;
  const { t } = i18n;
  const { outcome } = optimizer;
  if (!outcome) return nothing;
  const { succeeded, failed, bytesBefore, bytesAfter, credits } = outcome;
  const title =
    failed === 0
      ? t('outcome.all', { count: succeeded })
      : succeeded === 0
        ? t('outcome.failed', { count: failed })
        : t('outcome.some', { done: succeeded, count: failed });
  return renderSum(
    context,
    { before: bytesBefore, after: bytesAfter, good: '', title, note: t('cost.credits', { count: credits }) },
    isDone(optimizer) ? nothing : renderWays(context),
  );
}

/** Renders the ways to exported files. They are in the bar if nothing else is to be done, with that to texts, else beside the outcome. */
export function renderWays({ optimizer, i18n, mode, noDownload, locked, act }: WorkbenchContext): TemplateResult {
  const { t } = i18n;
  const { saving } = optimizer;
  const withFiles = optimizer.items.list().filter(({ result }) => result?.variants.length);
  const replaceable = withFiles.filter(({ replacement }) => replacement?.status !== 'replaced').length;
  const replaces = mode === 'replace' && !locked && replaceable > 0;
  return html`
    ${
      isDone(optimizer)
        ? html`<button type="button" class="button" part="button" @click=${() => act('take-away')}>
            ${icon('download')}${t('take.title')}</button>`
        : nothing
    }
    ${
      noDownload || withFiles.length === 0
        ? nothing
        : html`<button type="button" class="button ${mode === 'replace' ? '' : 'primary'} download-all" part="button"
            aria-busy=${saving ? 'true' : nothing} @click=${() => act('download-all')}>${icon('download')}${
              t('outcome.download-all') + (saving ? ` · ${t('compare.position', saving)}` : '')
            }</button>`
    }
    ${
      replaces
        ? html`<button type="button" class="button primary" part="button button-primary"
            @click=${() => act('replace-all')}>${icon('replace')}${t('outcome.replace-all', { count: replaceable })}</button>`
        : nothing
    }
  `;
}

function renderSamples(context: WorkbenchContext): TemplateResult {
  const { optimizer, i18n, act } = context;
  const { t } = i18n;
  const { samples, settings } = optimizer;
  const stale = samples.some((sample) => isOutdated(sample, settings));
  return renderSum(
    context,
    {
      before: samples.reduce((sum, { original }) => sum + original.size, 0),
      after: samples.reduce((sum, { variants }) => sum + (variants[0]?.size ?? 0), 0),
      good: 'quiet',
      stale,
      title: t('sample.title', { count: samples.length }),
      note: t(stale ? 'sample.stale' : 'sample.free'),
    },
    html`<button type="button" class="button" part="button" @click=${() => act('compare-samples')}>
      ${icon('compare')}${t('action.compare')}</button>`,
  );
}

/** Returns true if a sample is not of the preset and the formats of the settings. */
function isOutdated(
  { format, original, quality, variants, warnings }: ImageResult,
  { preset, format: only, formats = [only] }: Settings,
): boolean {
  const made = variants.map((variant) => variant.format ?? format);
  const isSkipped = warnings.some(({ code }) => code === 'format_skipped');
  const wanted = formats
    .map((one): string => encodedFormat(one, original.format as InputFormat))
    .filter((one) => !isSkipped || made.includes(one));
  return quality.preset !== preset || `${[...new Set(made)]}` !== `${[...new Set(wanted)]}`;
}
