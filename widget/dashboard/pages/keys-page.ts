import { html, nothing, type TemplateResult } from 'lit';
import type { ApiKeyView } from '#contract';
import { icon } from '../../styles/index.ts';
import { managePageOf } from '../account-badges.ts';
import { accountClient, type KeyList } from '../account-client.ts';
import type { FormValues } from '../dash-form.ts';
import '../dash-form.ts';
import type { DashDialog } from '../dash-dialog.ts';
import '../dash-dialog.ts';
import { DashboardPage } from '../dashboard-page.ts';
import { formatAgo, formatDate } from '../format-figures.ts';
import '../secret-field.ts';
import { STRINGS } from '../language.ts';
import { BASE } from '../router.ts';

const { keys: texts } = STRINGS;
const nameField = (value = '') => ({ name: 'name', label: texts.name, hint: texts.nameHint, maxLength: 100, value });

/** Open dialog, if any. */
type Question = { kind: 'new' } | { kind: 'shown'; apiKey: string } | { kind: 'rename' | 'remove'; key: ApiKeyView };

/** Page of the keys after a new password, with the offer to revoke them. */
export const KEYS_AFTER_PASSWORD = 'settings/keys?new-password';

/** Settings > API Keys. A new key is shown once; later only its last four characters are visible. */
export class KeysPage extends DashboardPage {
  static override properties = { list: { state: true }, question: { state: true } };

  /** Null until loaded. */
  declare list: KeyList | null;
  declare question: Question | null;
  readonly #afterPassword = new URLSearchParams(location.search).has('new-password');

  constructor() {
    super();
    this.list = null;
    this.question = null;
    void this.#reload();
  }

  protected override render(): TemplateResult {
    return html`<p class="lead">${texts.lead}</p>
      ${
        this.#afterPassword
          ? html`<p class="notice warning">${icon('alert')}<span class="content">${texts.afterPassword}</span></p>`
          : nothing
      }
      ${this.renderProblem()}${this.list ? this.#renderList(this.list) : nothing}${this.#renderQuestion()}`;
  }

  #renderList({ keys, limit: { used, limit } }: KeyList): TemplateResult {
    const full = used >= limit;
    return html`<section class="card" aria-labelledby="list-title">
      <div class="bar">
        <h2 id="list-title">${STRINGS.titles.keys} <span class="badge">${texts.use({ used, limit })}</span></h2>
        <button
          class="button primary"
          aria-disabled=${full}
          aria-describedby=${full ? 'why' : nothing}
          @click=${() => !full && this.#ask({ kind: 'new' })}
        >
          ${icon('add')}${texts.generate}
        </button>
      </div>
      ${full ? this.#renderLimit(limit) : nothing}
      ${
        keys.length === 0
          ? html`<p class="empty">${texts.none}</p>`
          : html`<ul class="rows">
              ${keys.map((key) => this.#renderKey(key, full))}
            </ul>`
      }
    </section>`;
  }

  /** Says why there is no further key, and the other way to one. */
  #renderLimit(count: number): TemplateResult {
    const { plan = '', role, accountId = '' } = this.profile ?? {};
    return html`<p class="notice"><span class="content">
      <span id="why">${texts.atLimit({ count, plan })}</span>
      ${role === 'operator' ? html`<a href="${BASE}/${managePageOf(accountId, 'plan')}">${texts.ownPlan}</a>` : texts.askForPlan}
    </span></p>`;
  }

  #renderKey(key: ApiKeyView, full: boolean): TemplateResult {
    const { name, last4, active, createdAt, lastUsedAt } = key;
    const toggle = active ? texts.deactivate : texts.activate;
    const barred = full && !active;
    const button = (label: string, act: () => void, style = '', off = false) =>
      html`<button
        class="button ${style}"
        aria-label=${texts.actionOn({ action: label, name })}
        aria-disabled=${off}
        aria-describedby=${off ? 'why' : nothing}
        @click=${() => !off && act()}
      >
        ${label}
      </button>`;
    return html`<li>
      <div class="what">
        <h3 class="title">
          ${name} <span class="badge ${active ? 'success' : 'ring'}">${active ? texts.active : texts.inactive}</span>
        </h3>
        <p class="details">
          <span><span class="visually-hidden">${texts.ending({ last4 })}</span><code aria-hidden="true" dir="ltr">iw_…${last4}</code></span>
          <span>${texts.created({ at: formatDate(createdAt) })}</span>
          <span>${lastUsedAt ? texts.lastUsed({ at: formatAgo(lastUsedAt) }) : texts.neverUsed}</span>
        </p>
      </div>
      <div class="actions">
        ${button(texts.rename, () => this.#ask({ kind: 'rename', key }))}
        ${button(toggle, () => void this.#toggle(key), '', barred)}
        ${button(texts.remove, () => this.#ask({ kind: 'remove', key }), 'danger')}
      </div>
    </li>`;
  }

  #renderQuestion(): TemplateResult | typeof nothing {
    const { question } = this;
    if (!question) return nothing;
    if (question.kind === 'shown') return this.#renderShown(question.apiKey);
    if (question.kind === 'new') {
      return this.#renderDialog(texts.newTitle, {
        fields: [nameField()],
        action: texts.generate,
        send: ({ name = '' }) => accountClient.createKey(name),
        done: (created) => this.#ask({ kind: 'shown', apiKey: (created as { apiKey: string }).apiKey }),
      });
    }
    const { key } = question;
    if (question.kind === 'rename') {
      return this.#renderDialog(texts.renameTitle({ name: key.name }), {
        fields: [nameField(key.name)],
        action: texts.rename,
        send: ({ name = '' }) => accountClient.updateKey(key.id, { name }),
        done: () => this.#finish(texts.renamed),
      });
    }
    return this.#renderDialog(texts.removeTitle({ name: key.name }), {
      text: texts.removeText,
      action: texts.remove,
      danger: true,
      send: () => accountClient.deleteKey(key.id),
      done: () => this.#finish(texts.removed({ name: key.name })),
    });
  }

  #renderDialog(
    heading: string,
    form: {
      fields?: object[];
      text?: string;
      action: string;
      danger?: boolean;
      send: (values: FormValues) => Promise<unknown>;
      done: (answer: unknown) => unknown;
    },
  ): TemplateResult {
    const { fields = [], text = '', action, danger = false, send, done } = form;
    return html`<dash-dialog heading=${heading} @dash-close=${() => this.#close('asked')}>
      ${text ? html`<p>${text}</p>` : nothing}
      <dash-form
        label=${heading}
        action=${action}
        ?danger=${danger}
        .fields=${fields}
        .send=${send}
        @dash-done=${({ detail }: CustomEvent) => done(detail)}
      ></dash-form>
    </dash-dialog>`;
  }

  #renderShown(apiKey: string): TemplateResult {
    return html`<dash-dialog heading=${texts.shownOnce} locked @dash-close=${() => this.#close('shown')}>
      <p class="notice warning">
        ${icon('alert')}<span class="content">${texts.shownOnceText}</span>
      </p>
      <secret-field autofocus label=${texts.shownOnce} .value=${apiKey}></secret-field>
      <div><button class="button" @click=${() => this.#finish('')}>${texts.done}</button></div>
    </dash-dialog>`;
  }

  #ask(question: Question): void {
    this.question = question;
    if (question.kind === 'shown') void this.#reload();
  }

  /** Ignores close events of a dialog that was replaced. */
  #close(which: 'asked' | 'shown'): void {
    if ((this.question?.kind === 'shown') === (which === 'shown')) this.question = null;
  }

  async #finish(said: string): Promise<void> {
    this.renderRoot.querySelector<DashDialog>('dash-dialog')?.close();
    this.question = null;
    await this.#reload();
    if (said) this.tell('dash-say', said);
    await this.updateComplete;
    // The focused element may have been removed.
    if (!this.renderRoot.querySelector(':focus')) this.renderRoot.querySelector<HTMLElement>('.button')?.focus();
  }

  async #toggle({ id, name, active }: ApiKeyView): Promise<void> {
    await this.load(async () => {
      await accountClient.updateKey(id, { active: !active });
      this.tell('dash-say', active ? texts.deactivated({ name }) : texts.activated({ name }));
    });
    const { problem } = this;
    await this.#reload();
    this.problem ||= problem;
  }

  async #reload(): Promise<void> {
    await this.load(async () => {
      this.list = await accountClient.keys();
    });
    this.tell('dash-stale');
  }
}
customElements.define('keys-page', KeysPage);
