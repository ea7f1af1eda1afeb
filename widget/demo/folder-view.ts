import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import {
  connectHost,
  createFolderHost,
  type HostConnection,
  type HostImage,
  type HostOutcome,
  type RunProgress,
} from '../../plugin-bridge/host/index.ts';
import type { ImageOptimizer } from '../index.ts';
import { FolderThumb } from './folder-thumb.ts';

type PickFolder = (options: { mode: 'readwrite'; id: string }) => Promise<FileSystemDirectoryHandle>;

/**
 * A folder on the visitor's computer as a small CMS: choose images, optimise them in the element or all at once, replace
 * and restore them. Rendered without a shadow root, in the styles of the page.
 */
export class FolderView extends LitElement {
  static override properties = {
    connected: { type: Boolean },
    images: { state: true },
    chosen: { state: true },
    outcomes: { state: true },
    progress: { state: true },
    problem: { state: true },
    asking: { state: true },
  };

  /** True if the service can be called. */
  declare connected: boolean;
  /** Element for the folder's images. */
  declare element: ImageOptimizer;
  declare protected images: HostImage[];
  declare protected chosen: ReadonlySet<string>;
  declare protected outcomes: readonly HostOutcome[];
  declare protected progress: RunProgress | null;
  declare protected problem: string;
  /** Cost of replacing without a review, shown before it starts. */
  declare protected asking: { images: number; cost: number; balance: number; sufficient: boolean } | null;
  #connection: HostConnection | null = null;
  #name = '';

  constructor() {
    super();
    this.connected = false;
    this.images = [];
    this.chosen = new Set();
    this.outcomes = [];
    this.progress = null;
    this.problem = '';
    this.asking = null;
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  async #open(): Promise<void> {
    const pick = (window as { showDirectoryPicker?: PickFolder }).showDirectoryPicker;
    if (!pick) return;
    let folder: FileSystemDirectoryHandle;
    try {
      folder = await pick.call(window, { mode: 'readwrite', id: 'imagewright' });
    } catch {
      return; // The visitor closed the dialog.
    }
    this.#connection?.disconnect();
    this.#name = folder.name;
    this.#connection = await connectHost(this.element, createFolderHost(folder), {
      onProgress: (progress) => {
        this.progress = progress;
      },
      onOutcome: () => void this.#refresh(),
    });
    await this.#refresh();
    this.chosen = new Set(this.images.filter(({ status }) => status === 'original').map(({ id }) => id));
  }

  async #refresh(): Promise<void> {
    const page = await this.#connection?.host.list({ limit: 2000 });
    this.images = page?.images ?? [];
  }

  /** Runs an operation of the connection and shows its outcomes. */
  async #act(work: (connection: HostConnection) => Promise<readonly HostOutcome[] | null>): Promise<void> {
    if (!this.#connection) return;
    this.problem = '';
    try {
      this.outcomes = (await work(this.#connection)) ?? [];
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
    }
    await this.#refresh();
  }

  #pick(status: HostImage['status']): string[] {
    return this.images.filter((image) => image.status === status && this.chosen.has(image.id)).map(({ id }) => id);
  }

  #toggle(id: string): void {
    const chosen = new Set(this.chosen);
    if (!chosen.delete(id)) chosen.add(id);
    this.chosen = chosen;
    this.asking = null;
  }

  async #ask(count: number): Promise<void> {
    await this.#act(async () => {
      const headers = { ...(this.element.headers as Record<string, string>), 'Content-Type': 'application/json' };
      const body = JSON.stringify({ imageCount: count });
      const response = await fetch('/v1/credits/check', { method: 'POST', headers, body });
      if (!response.ok) throw new Error('The cost could not be calculated.');
      this.asking = { ...(await response.json()), images: count };
      return null;
    });
  }

  protected override render(): TemplateResult {
    return this.#connection ? this.#renderFolder() : this.#renderInvitation();
  }

  #renderInvitation(): TemplateResult {
    const possible = 'showDirectoryPicker' in window;
    return html`
      <div class="invitation">
        <h2>Replace images where they are</h2>
        <p>
          A folder serves as your CMS: its images are replaced by optimized ones. The originals are kept in
          <code>.imagewright-backup</code> and can be restored byte for byte.
        </p>
        <button type="button" class="primary" ?disabled=${!possible || !this.connected} aria-describedby="folder-why" @click=${this.#open}>
          Use a folder on this computer
        </button>
        <p id="folder-why" class="why">
          ${
            possible
              ? 'Your browser asks for a folder this page may read and write. Choose a copy of some photographs.'
              : 'This browser does not give pages access to a folder. Use Chrome, Edge or another Chromium browser on a computer.'
          }
        </p>
      </div>
    `;
  }

  #renderFolder(): TemplateResult {
    const fresh = this.#pick('original');
    const replaced = this.#pick('replaced');
    const busy = this.progress !== null && !['done', 'stopped'].includes(this.progress.phase);
    const all = this.images.length > 0 && this.images.every(({ id }) => this.chosen.has(id));
    const left = busy ? 0 : (this.#connection?.unfinished ?? 0);
    return html`
      <div class="folder">
        <div class="folder-head">
          <h2><bdi>${this.#name || 'Folder'}</bdi></h2>
          <p>${this.images.length} images, ${this.images.filter(({ status }) => status === 'replaced').length} optimized</p>
          <button type="button" ?disabled=${busy} @click=${this.#open}>Another folder</button>
        </div>
        <label class="all">
          <input type="checkbox" .checked=${all} .indeterminate=${!all && this.chosen.size > 0}
            @change=${() => {
              this.chosen = new Set(all ? [] : this.images.map(({ id }) => id));
            }} />
          All
        </label>
        <ul class="files">${repeat(
          this.images,
          (image) => image.id,
          (image) => this.#renderImage(image),
        )}</ul>
        <div class="actions">
          <button type="button" class="primary" ?disabled=${busy || fresh.length === 0}
            @click=${() => this.#act((connection) => connection.add(fresh))}>Review and optimize (${fresh.length})</button>
          <button type="button" ?disabled=${busy || fresh.length === 0} @click=${() => this.#ask(fresh.length)}>
            Optimize and replace at once (${fresh.length})</button>
          <button type="button" ?disabled=${busy || replaced.length === 0}
            @click=${() => this.#act((connection) => connection.restore(replaced))}>Restore (${replaced.length})</button>
          ${
            left > 0
              ? html`<button type="button" @click=${() => this.#act(async (connection) => (await connection.resume())?.outcomes ?? null)}>
                Resume (${left} left)</button>`
              : nothing
          }
        </div>
        ${this.asking ? this.#renderCost(fresh) : nothing}
        ${this.progress ? this.#renderProgress(this.progress, busy) : nothing}
        ${this.problem ? html`<p class="problem" role="alert">${this.problem}</p>` : nothing}
        ${this.#renderOutcomes()}
      </div>
    `;
  }

  #renderImage({ id, bytes, status, reason }: HostImage): TemplateResult {
    const label = { original: 'Original', replaced: 'Optimized', unavailable: reason ?? 'Not available' }[status];
    return html`
      <li>
        <label>
          <input type="checkbox" .checked=${this.chosen.has(id)} @change=${() => this.#toggle(id)} />
          <folder-thumb .load=${() => this.#connection?.host.fetch(id)}></folder-thumb>
          <span class="path"><bdi>${id}</bdi></span>
          <span class="bytes">${bytes ? formatBytes(bytes) : ''}</span>
          <span class="status ${status}">${label}</span>
        </label>
      </li>
    `;
  }

  #renderCost(ids: string[]): TemplateResult {
    const { images, cost, balance, sufficient } = this.asking ?? { images: 0, cost: 0, balance: 0, sufficient: false };
    const words = `${images} ${images === 1 ? 'image' : 'images'}: ${cost} of your ${balance} credits.`;
    const start = () => {
      this.asking = null;
      return this.#act(async (connection) => (await connection.run(ids)).outcomes);
    };
    return html`
      <div class="ask" role="group" aria-label="Cost">
        <p>${words} ${sufficient ? '' : `${cost - balance} are missing.`}</p>
        <button type="button" class="primary" ?disabled=${!sufficient} @click=${start}>Spend and replace</button>
        <button type="button" @click=${() => {
          this.asking = null;
        }}>Cancel</button>
      </div>
    `;
  }

  #renderProgress(progress: RunProgress, busy: boolean): TemplateResult {
    const { done, total, replaced, skipped, failed, savedBytes, current, reason } = progress;
    const saved = savedBytes > 0 ? `, ${formatBytes(savedBytes)} saved` : '';
    const words = `${replaced} replaced, ${skipped} skipped, ${failed} failed${saved}`;
    return html`
      <div class="run">
        <progress aria-label="Replacing images" max=${total} .value=${done}></progress>
        <p role="status">${done} of ${total}: ${words}${busy && current ? html` · <bdi>${current}</bdi>` : nothing}</p>
        ${busy ? html`<button type="button" @click=${() => this.#connection?.stop()}>Stop</button>` : nothing}
        ${!busy && reason ? html`<p class="problem">${reason.message}</p>` : nothing}
      </div>
    `;
  }

  #renderOutcomes(): TemplateResult | typeof nothing {
    if (this.outcomes.length === 0) return nothing;
    return html`
      <ul class="outcomes" aria-label="Outcome of each image">
        ${this.outcomes.map(
          ({ filename, status, message }) =>
            html`<li><b><bdi>${filename}</bdi></b> ${status}${message ? `: ${message}` : ''}</li>`,
        )}
      </ul>
    `;
  }
}

function formatBytes(bytes: number): string {
  const [value, unit] = bytes < 999_500 ? [bytes / 1000, 'kilobyte'] : [bytes / 1_000_000, 'megabyte'];
  const digits = value < 10 ? 1 : 0;
  return value.toLocaleString('en', { style: 'unit', unit, maximumFractionDigits: digits });
}

if (!customElements.get('folder-thumb')) customElements.define('folder-thumb', FolderThumb);
