import { css, html, nothing, type TemplateResult } from 'lit';
import type { PlanList, ServiceState, ServiceUsage } from '#contract';
import { PLAN_LIMIT_NAMES } from '#contract/constants';
import { accountClient } from '../account-client.ts';
import { DashboardPage } from '../dashboard-page.ts';
import { formatBytes, formatLimit, formatMoment, formatNumber, formatTime } from '../format-figures.ts';
import { STRINGS } from '../language.ts';
import { queueChartStyles, renderQueueChart } from '../queue-chart.ts';
import '../installation-check.ts';
import '../usage-chart.ts';

const { service: texts, overview } = STRINGS;
const PERIODS = [7, 30, 90, 365];
/** Share of the disk below which it is marked as nearly full. */
const LITTLE = 0.1;
/** Images that wait for each worker from which the queue is marked as long. */
const LONG_QUEUE = 20;
/** Time between two looks at the state, while the page is in sight. */
const LOOK_MS = 15_000;

const styles = css`
  .facts {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 220px), 1fr));
    gap: 16px 24px;
    margin: 0;
  }
  .facts dt {
    color: var(--_muted);
    font-size: var(--_t13);
  }
  .facts dd {
    margin: 0;
    overflow-wrap: anywhere;
  }
  .facts .note {
    color: var(--_muted);
    font-size: var(--_t13);
  }
  .period {
    inline-size: auto;
  }
  .lamp {
    --_lamp: var(--_success);
    padding-inline-start: 20px;
  }
  .lamp.poor {
    --_lamp: var(--_check);
  }
  .lamp.bad {
    --_lamp: var(--_danger);
  }
  .lamp.bad dd:not(.note) {
    color: var(--_danger);
    font-weight: 600;
  }
  .lamp.off {
    --_lamp: transparent;
  }
  .lamp dt::before {
    content: '';
    display: inline-block;
    inline-size: 10px;
    block-size: 10px;
    margin-inline: -20px 10px;
    border: 2px solid color-mix(in oklab, var(--_lamp), var(--_edge) 30%);
    border-radius: 50%;
    background: var(--_lamp);
    forced-color-adjust: none;
  }
  .lamp.off dt::before {
    border-color: var(--_edge);
  }
`;

/** Page for operators: state and usage of the whole service, and the contents of its plans. */
export class ServicePage extends DashboardPage {
  static override styles = [...DashboardPage.styles, styles, queueChartStyles];
  static override properties = {
    state: { state: true },
    usage: { state: true },
    plans: { state: true },
    days: { state: true },
  };

  /** Each is null until loaded. */
  declare state: ServiceState | null;
  declare usage: ServiceUsage | null;
  declare plans: PlanList['plans'] | null;
  declare days: number;
  #looks: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super();
    this.state = null;
    this.usage = null;
    this.plans = null;
    this.days = 30;
    void this.load(async () => {
      const [state, usage, { plans }] = await Promise.all([
        accountClient.serviceState(),
        accountClient.serviceUsage(this.days),
        accountClient.plans(),
      ]);
      Object.assign(this, { state, usage, plans });
    });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#looks = setInterval(() => {
      if (!document.hidden && this.state) void this.#look();
    }, LOOK_MS);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#looks);
  }

  protected override render(): TemplateResult {
    return html`<p class="lead">${texts.lead}</p>
      ${this.renderProblem()}${this.state ? html`${this.#renderState(this.state)}<installation-check></installation-check>` : nothing}
      ${this.usage ? this.#renderUsage(this.usage) : nothing}${this.plans ? renderPlans(this.plans) : nothing}`;
  }

  async #look(): Promise<void> {
    await this.load(async () => {
      this.state = await accountClient.serviceState();
    });
  }

  #renderState(state: ServiceState): TemplateResult {
    return html`<section class="card" aria-labelledby="state">
      <div class="bar">
        <h2 id="state">${texts.state}</h2>
        <div class="actions">
          <span class="muted">${texts.checked({ at: formatTime(state.checkedAt) })}</span>
          <button class="button" @click=${() => void this.#look()}>${texts.again}</button>
        </div>
      </div>
      ${renderLamps(state)} ${renderQueueChart(state)}
      <p class="muted">${texts.version} ${state.version}. ${describeAnswers(state)}</p>
    </section>`;
  }

  #renderUsage(usage: ServiceUsage): TemplateResult {
    const { total, accounts, credits } = usage;
    const used = formatNumber(credits.used);
    const balance = formatNumber(credits.balance);
    return html`<section class="card" aria-labelledby="usage">
      <div class="bar">
        <h2 id="usage">${texts.usage}</h2>
        <select class="input period" aria-label=${overview.days} @change=${this.#choosePeriod}>
          ${PERIODS.map((days) => html`<option value=${days} ?selected=${days === this.days}>${overview.lastDays({ count: days })}</option>`)}
        </select>
      </div>
      <dl class="facts">
        ${fact(texts.exported, formatNumber(total.images))}${fact(texts.samples, formatNumber(total.samples))}
        ${fact(texts.analyses, formatNumber(total.analyses))}
        ${fact(overview.saved, formatBytes(total.bytesBefore - total.bytesAfter))}
        ${fact(texts.accounts, formatNumber(accounts.total), texts.accountsNote({ count: accounts.suspended }))}
        ${fact(texts.credits, formatNumber(credits.granted), texts.creditsNote({ used, balance }))}
      </dl>
      <usage-chart .usage=${usage}></usage-chart>
    </section>`;
  }

  #choosePeriod(event: Event): void {
    const days = Number((event.target as HTMLSelectElement).value);
    const isWanted = () => days === this.days;
    this.days = days;
    void this.load(async () => {
      const usage = await accountClient.serviceUsage(days);
      if (isWanted()) this.usage = usage;
    }, isWanted);
  }
}
customElements.define('service-page', ServicePage);

function fact(name: string, value: string, note = ''): TemplateResult {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
    ${note ? html`<dd class="note">${note}</dd>` : nothing}
  </div>`;
}

/** State of a part of the service. The dot has its colour; the words beside it name it. */
type Health = 'good' | 'poor' | 'bad' | 'off';

function lamp(health: Health, name: string, value: string, note = ''): TemplateResult {
  return html`<div class="lamp ${health}">
    <dt>${name}</dt>
    <dd>${value}</dd>
    ${note ? html`<dd class="note">${note}</dd>` : nothing}
  </div>`;
}

const MODEL_HEALTH = { ready: 'good', unverified: 'poor', loading: 'poor', unavailable: 'bad', off: 'off' } as const;

/** Says what was counted since the start of the server. */
function describeAnswers({ answers: { since, all, refused, failed, images } }: ServiceState): string {
  const count = (value: number) => formatNumber(value);
  return texts.sinceStart({
    at: formatMoment(since),
    all: count(all),
    refused: count(refused),
    failed: count(failed),
    images: count(images),
  });
}

function renderLamps({ disk, model, mail, queue, lastHour }: ServiceState): TemplateResult {
  const waiting = mail.sends ? texts.mailWaiting({ count: mail.waiting }) : '';
  const mailNote = mail.retried > 0 ? `${waiting}. ${texts.mailRetried({ count: mail.retried })}` : waiting;
  const { all, failed, refused, images } = lastHour;
  const by = [model.provider, model.name].filter((part) => part && part !== 'none').join(', ');
  const remedies: Record<string, string> = texts.modelReasons;
  const remedy = (model.reason && remedies[model.reason]) ?? '';
  return html`<dl class="facts">
    ${disk ? renderDisk(disk) : nothing}
    ${lamp(MODEL_HEALTH[model.state], texts.model, texts.modelStates[model.state], [by, remedy].filter(Boolean).join('. '))}
    ${lamp(mail.retried > 0 ? 'bad' : mail.sends ? 'good' : 'off', texts.mail, mail.sends ? texts.mailOn : texts.mailOff, mailNote)}
    ${lamp(queue.waiting > queue.workers * LONG_QUEUE ? 'poor' : 'good', texts.queue, texts.queueWaiting({ count: queue.waiting }), texts.workers({ busy: queue.busy, total: queue.workers }))}
    ${lamp(failed > 0 ? 'bad' : 'good', texts.answers, texts.failed({ failed: formatNumber(failed), all: formatNumber(all) }), texts.refused({ refused: formatNumber(refused) }))}
    ${lamp(images > 0 ? 'poor' : 'good', texts.failedImages, formatNumber(images))}
  </dl>`;
}

function renderDisk({ freeBytes, totalBytes }: NonNullable<ServiceState['disk']>): TemplateResult {
  const health = freeBytes < totalBytes * LITTLE ? 'bad' : 'good';
  const free = texts.diskFree({ free: formatBytes(freeBytes), total: formatBytes(totalBytes) });
  return lamp(health, texts.disk, free, texts.diskNote);
}

function renderPlans(plans: PlanList['plans']): TemplateResult {
  const columns: [name: string, read: (plan: PlanList['plans'][number]) => string][] = [
    [texts.planKeys, ({ keys }) => formatNumber(keys)],
    [texts.planCredits, ({ signupCredits }) => formatNumber(signupCredits)],
    ...PLAN_LIMIT_NAMES.map((limit): [string, (plan: PlanList['plans'][number]) => string] => [
      overview.limitTexts[limit].column,
      (plan) => formatLimit(limit, plan[limit]) ?? texts.unlimited,
    ]),
    [texts.planStreams, ({ streams }) => formatNumber(streams)],
    [
      texts.planRate,
      ({ rateLimit }) =>
        rateLimit ? texts.rate({ requests: rateLimit.requests, seconds: rateLimit.windowSeconds }) : texts.unlimited,
    ],
  ];
  return html`<section class="card" aria-labelledby="plans">
    <h2 id="plans">${texts.plans}</h2>
    <div class="scroll" tabindex="0" role="group" aria-labelledby="plans">
      <table>
        <thead>
          <tr><th scope="col">${texts.planName}</th>${columns.map(([name]) => html`<th scope="col" class="end">${name}</th>`)}</tr>
        </thead>
        <tbody>
          ${plans.map(
            (plan) => html`<tr>
              <th scope="row">${plan.name}${plan.isDefault ? html` <span class="badge">${texts.planDefault}</span>` : nothing}</th>
              ${columns.map(([name, read]) => html`<td class="end" data-label=${name}>${read(plan)}</td>`)}
            </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <p class="muted">${texts.plansNote}</p>
  </section>`;
}
