import { html, nothing, type TemplateResult } from 'lit';
import type { PastJob, Usage } from '#contract';
import { PLAN_LIMIT_NAMES } from '#contract/constants';
import { accountClient } from '../account-client.ts';
import { DashboardPage } from '../dashboard-page.ts';
import {
  formatAgo,
  formatBytes,
  formatDay,
  formatLimit,
  formatMoment,
  formatNumber,
  formatPercent,
} from '../format-figures.ts';
import { STRINGS } from '../language.ts';
import { BASE } from '../router.ts';
import { overviewStyles } from './overview-page.styles.ts';
import '../recent-work.ts';
import '../usage-chart.ts';

const { overview: texts } = STRINGS;
const PERIODS = [7, 30, 90];
const BADGES: Record<string, string> = {
  completed: 'success',
  partial: 'warning',
  failed: 'danger',
  processing: 'ring accent',
};

/** Page with balance, plan, usage by day and the last jobs. */
export class OverviewPage extends DashboardPage {
  static override styles = [...DashboardPage.styles, overviewStyles];
  static override properties = {
    usage: { state: true },
    jobs: { state: true },
    asTable: { state: true },
    days: { state: true },
    recentKnown: { state: true },
  };

  declare usage: Usage | null;
  declare jobs: PastJob[] | null;
  declare asTable: boolean;
  declare days: number;
  /** False until the recent work has its height, so that it moves nothing below. */
  declare recentKnown: boolean;

  constructor() {
    super();
    this.usage = null;
    this.jobs = null;
    this.asTable = false;
    this.days = 30;
    this.recentKnown = false;
    void this.load(async () => {
      const [usage, { jobs }] = await Promise.all([accountClient.usage(this.days), accountClient.jobs()]);
      this.usage = usage;
      this.jobs = jobs;
    });
  }

  protected override render(): TemplateResult {
    return html`<p class="lead">${texts.hello}</p>
      ${this.renderProblem()}${this.#renderFigures()}
      <recent-work @recent-known=${() => Object.assign(this, { recentKnown: true })}></recent-work>
      ${this.recentKnown ? this.#renderRest() : nothing}`;
  }

  #renderRest(): TemplateResult {
    return html`${this.#renderLimits()} ${this.jobs?.length === 0 ? this.#renderStart() : nothing}
      ${this.usage ? this.#renderUsage(this.usage) : nothing}${this.jobs?.length ? this.#renderJobs(this.jobs) : nothing}`;
  }

  #renderFigures(): TemplateResult | typeof nothing {
    if (!this.profile) return nothing;
    const { balance, plan, keys } = this.profile;
    const total = this.usage?.total;
    const period = texts.lastDays({ count: this.days });
    const share = total?.bytesBefore ? 1 - total.bytesAfter / total.bytesBefore : 0;
    const waiting = html`<span class="skeleton"></span><span class="visually-hidden">${STRINGS.loading}</span>`;
    return html`<div class="figures" aria-busy=${!total}>
      <dl class="figure card">
        <dt>${texts.balance}</dt>
        <dd id="balance">${formatNumber(balance)} <small>${texts.creditsUnit({ count: balance })}</small></dd>
        <dd class="note"><a href="${BASE}/credits">${texts.buy}</a></dd>
      </dl>
      <dl class="figure card">
        <dt>${texts.plan}</dt>
        <dd>${plan}</dd>
        <dd class="note">${texts.keys({ used: keys.used, count: keys.limit })}</dd>
      </dl>
      <dl class="figure card">
        <dt>${texts.images}</dt>
        <dd>${total ? formatNumber(total.images) : waiting}</dd>
        <dd class="note">${period}</dd>
      </dl>
      <dl class="figure card">
        <dt>${texts.saved}</dt>
        <dd>${total ? formatBytes(total.bytesBefore - total.bytesAfter) : waiting}</dd>
        <dd class="note">${share > 0 ? texts.savedOf({ share: formatPercent(share), bytes: formatBytes(total?.bytesBefore ?? 0) }) : period}</dd>
      </dl>
    </div>`;
  }

  /** Renders the use of each limit; nothing for an account without limits. */
  #renderLimits(): TemplateResult | typeof nothing {
    const limits = PLAN_LIMIT_NAMES.flatMap((name) => {
      const use = this.profile?.limits[name];
      return use ? [{ name, ...use }] : [];
    });
    if (limits.length === 0) return nothing;
    return html`<section class="card" aria-labelledby="limits">
      <h2 id="limits">${texts.limits}</h2>
      <dl class="limits">
        ${limits.map(({ name, used, limit }) => {
          const share = texts.usedOf({ used: formatLimit(name, used), limit: formatLimit(name, limit) });
          const words = texts.limitTexts[name];
          return html`<div>
            <dt id="limit-${name}">${words.name}</dt>
            <dd>
              <span>${share}</span>
              <meter aria-labelledby="limit-${name}" min="0" max=${limit} high=${limit * 0.8} value=${used}></meter>
              <span class="muted">${words.note}</span>
            </dd>
          </div>`;
        })}
      </dl>
    </section>`;
  }

  #renderStart(): TemplateResult {
    const { key, image, docs } = texts.startSteps;
    return html`<section class="card start" aria-labelledby="start">
      <h2 id="start">${texts.startTitle}</h2>
      <ol>
        <li><a href="${BASE}/playground">${image}</a></li>
        <li><a href="${BASE}/settings/keys">${key}</a></li>
        <li><a href="${BASE}/docs">${docs}</a></li>
      </ol>
    </section>`;
  }

  #renderUsage(usage: Usage): TemplateResult {
    const isEmpty = usage.total.images === 0;
    return html`<section class="card" aria-labelledby="usage">
      <div class="bar">
        <h2 id="usage">${texts.usage}</h2>
        <div class="actions">
          <button class="button quiet" aria-pressed=${this.asTable} @click=${this.#toggleTable}>${texts.showTable}</button>
          <select class="input period" aria-label=${texts.days} @change=${this.#choosePeriod}>
            ${PERIODS.map((days) => html`<option value=${days} ?selected=${days === this.days}>${texts.lastDays({ count: days })}</option>`)}
          </select>
        </div>
      </div>
      ${this.asTable ? this.#renderTable(usage) : html`<usage-chart .usage=${usage}></usage-chart>`}
      ${isEmpty ? html`<p class="muted">${texts.nothingYet}</p>` : nothing}
    </section>`;
  }

  /** Renders the usage as a table, newest first, without empty days. */
  #renderTable({ days }: Usage): TemplateResult {
    const busy = days.filter(({ images, samples, analyses, credits }) => images + samples + analyses + credits > 0);
    return html`<div class="scroll" tabindex="0" role="group" aria-labelledby="usage">
      <table>
        <thead>
          <tr>
            <th scope="col">${texts.day}</th>
            <th scope="col" class="end">${texts.images}</th>
            <th scope="col" class="end">${texts.creditsColumn}</th>
            <th scope="col" class="end">${texts.savedColumn}</th>
          </tr>
        </thead>
        <tbody>
          ${busy.reverse().map(
            ({ day, images, credits, bytesBefore, bytesAfter }) => html`<tr>
              <td>${formatDay(day)}</td>
              <td class="end" data-label=${texts.images}>${formatNumber(images)}</td>
              <td class="end" data-label=${texts.creditsColumn}>${formatNumber(credits)}</td>
              <td class="end" data-label=${texts.savedColumn}>${formatBytes(bytesBefore - bytesAfter)}</td>
            </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
  }

  #renderJobs(jobs: PastJob[]): TemplateResult {
    return html`<section class="card" aria-labelledby="jobs">
      <h2 id="jobs">${texts.jobs}</h2>
      <ul class="rows">
        ${jobs.map(
          ({ kind, status, images, credits, savedBytes, createdAt }) => html`<li>
            <div class="what">
              <p class="title">
                ${texts.kinds[kind]}
                <span class="badge ${BADGES[status] ?? 'ring'}">${texts.states[status]}</span>
              </p>
              <p class="details">
                <span>${texts.imageCount({ count: images })}</span>
                ${kind === 'export' ? html`<span>${texts.credits({ count: credits })}</span>` : nothing}
                ${kind === 'export' && savedBytes > 0 ? html`<span>${texts.savedBytes({ bytes: formatBytes(savedBytes) })}</span>` : nothing}
              </p>
            </div>
            <time class="muted" datetime=${createdAt} title=${formatMoment(createdAt)}>${formatAgo(createdAt)}</time>
          </li>`,
        )}
      </ul>
    </section>`;
  }

  #toggleTable(): void {
    this.asTable = !this.asTable;
  }

  #choosePeriod(event: Event): void {
    const days = Number((event.target as HTMLSelectElement).value);
    const isWanted = () => days === this.days;
    this.days = days;
    void this.load(async () => {
      const usage = await accountClient.usage(days);
      if (isWanted()) this.usage = usage;
    }, isWanted);
  }
}
customElements.define('overview-page', OverviewPage);
