import { html, nothing, type TemplateResult } from 'lit';
import { icon } from '../../styles/index.ts';
import type { Shell } from './shell.ts';

/** What the export came to, and the way out for all its files; before an export, what the sample came to. */
export function renderOutcome(shell: Shell): TemplateResult | typeof nothing {
  const { optimizer } = shell;
  if (optimizer.outcome && optimizer.state !== 'exporting') return renderExport(shell);
  return optimizer.samples.length > 0 && optimizer.state !== 'sampling' ? renderSamples(shell) : nothing;
}

function renderExport(shell: Shell): TemplateResult | typeof nothing {
  const { optimizer, i18n, mode, noDownload, locked, act } = shell;
  const { t, formatBytes, formatPercent } = i18n;
  const { outcome, counts } = optimizer;
  if (!outcome) return nothing;
  const { succeeded, failed, bytesBefore, bytesAfter, credits } = outcome;
  const saved = bytesBefore > 0 ? 1 - bytesAfter / bytesBefore : 0;
  const all = failed === 0;
  const replaceable = optimizer.items
    .list()
    .filter(({ result, replacement }) => result?.variants.length && replacement?.status !== 'replaced').length;
  return html`
    <section class="outcome ${succeeded === 0 ? 'danger' : ''}" aria-labelledby="outcome-title">
      <div class="figure numbers" aria-hidden="true">${succeeded > 0 ? formatPercent(Math.abs(saved)) : icon('alert')}
        ${succeeded > 0 ? html`<span>${t(saved < 0 ? 'outcome.larger' : 'outcome.smaller')}</span>` : nothing}</div>
      <div class="story">
        <h3 id="outcome-title">${
          all
            ? t('outcome.all', { count: succeeded })
            : succeeded === 0
              ? t('outcome.failed', { count: failed })
              : t('outcome.some', { done: succeeded, count: failed })
        }</h3>
        <p class="numbers">${
          succeeded > 0
            ? html`<bdi>${t('outcome.bytes', { from: formatBytes(bytesBefore), to: formatBytes(bytesAfter), percent: formatPercent(Math.abs(saved)) })}</bdi> · `
            : nothing
        }<span class="muted">${t('outcome.credits', { count: credits })}</span></p>
      </div>
      <div class="ways">
        ${
          mode === 'replace' && !locked && replaceable > 0
            ? html`<button type="button" class="button primary" part="button button-primary"
                @click=${() => act('replace-all')}>${icon('replace')}${t('outcome.replace-all', { count: replaceable })}</button>`
            : nothing
        }
        ${
          noDownload || counts.exported === 0
            ? nothing
            : html`<button type="button" class="button ${mode === 'replace' ? '' : 'primary'}" part="button"
                @click=${() => act('download-all')}>${icon('download')}${t('outcome.download-all')}</button>`
        }
      </div>
    </section>
  `;
}

function renderSamples({ optimizer, i18n, act }: Shell): TemplateResult {
  const { t, formatBytes, formatPercent } = i18n;
  const before = optimizer.samples.reduce((sum, { original }) => sum + original.size, 0);
  const after = optimizer.samples.reduce((sum, { variants }) => sum + (variants[0]?.size ?? 0), 0);
  const saved = before > 0 ? 1 - after / before : 0;
  const params = { from: formatBytes(before), to: formatBytes(after), percent: formatPercent(Math.abs(saved)) };
  return html`
    <section class="outcome quiet" aria-labelledby="sample-title">
      <div class="figure numbers" aria-hidden="true">${formatPercent(Math.abs(saved))}
        <span>${t(saved < 0 ? 'outcome.larger' : 'outcome.smaller')}</span></div>
      <div class="story">
        <h3 id="sample-title">${t('sample.title', { count: optimizer.samples.length })}</h3>
        <p class="numbers"><bdi>${t('outcome.bytes', params)}</bdi> · <span class="muted">${t('sample.free')}</span></p>
      </div>
      <div class="ways">
        <button type="button" class="button" part="button" @click=${() => act('compare-samples')}>
          ${icon('compare')}${t('sample.compare')}</button>
      </div>
    </section>
  `;
}
