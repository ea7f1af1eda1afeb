import { css, html, nothing, type TemplateResult } from 'lit';
import { type Item, isMissingText, type Optimizer } from '../../state/index.ts';
import { controls, foundation, icon } from '../../styles/index.ts';
import { copyText } from '../copy-text.ts';
import { TranslatedElement } from '../translated-element.ts';
import { listFiles, saveZip } from './save-zip.ts';
import { type HtmlKind, htmlOf } from './write-html.ts';
import { csvOf, jsonOf } from './write-texts.ts';

/**
 * Offers everything to take along: texts, HTML, and a ZIP of all files.
 *
 * @tag io-take-away
 * @csspart button - Any button.
 */
export class IoTakeAway extends TranslatedElement {
  static override styles = [
    foundation,
    ...controls,
    css`
      section {
        padding-block: var(--_s3);
        border-block-start: 1px solid var(--_border);
      }
      .ways {
        display: flex;
        flex-wrap: wrap;
        gap: var(--_s2);
        margin-block-start: var(--_s2);
      }
    `,
  ];
  static override properties = {
    optimizer: { attribute: false },
    save: { attribute: false },
    noDownload: { attribute: false },
    said: { state: true },
    file: { state: true },
  };

  /** Flow with the images. */
  declare optimizer: Optimizer;
  /** Saves bytes as a download. */
  declare save: (blob: Blob, filename: string) => void;
  /** Hides the files. */
  declare noDownload: boolean;
  /** Message about the last action, or its error. */
  declare protected said: string;
  /** Number of the file that goes into the ZIP; 0: none. */
  declare protected file: number;

  constructor() {
    super();
    this.noDownload = false;
    this.said = '';
    this.file = 0;
  }

  get #items(): readonly Item[] {
    return this.optimizer.items.list();
  }

  #saveText(text: string, filename: string, type: string): void {
    this.save(new Blob([text], { type }), filename);
  }

  async #copy(kind: HtmlKind): Promise<void> {
    const parts = this.#items.flatMap((item) => htmlOf(item, kind) || []);
    const done = await copyText(parts.join('\n'));
    this.#say(this.i18n.t(done ? 'take.copied' : 'take.not-copied'));
  }

  async #saveZip(): Promise<void> {
    if (this.file > 0) return;
    const onFile = (index: number) => {
      this.file = index;
    };
    this.said = '';
    try {
      if (await saveZip(this.optimizer, { save: this.save, onFile })) this.#say(this.i18n.t('take.zip-done'));
    } catch (error) {
      this.#say(this.i18n.t('take.zip-failed'));
      console.error('<image-optimizer>: the ZIP could not be made', error);
    } finally {
      this.file = 0;
    }
  }

  #say(text: string): void {
    this.said = text;
    this.optimizer.announce(text);
  }

  protected override render(): TemplateResult {
    const { t, formatBytes } = this.i18n;
    const items = this.#items;
    const missing = items.filter(isMissingText).length;
    const files = listFiles(items);
    const none = files.length === 0;
    const button = (label: unknown, press: () => unknown, primary = false) =>
      html`<button type="button" class="button ${primary ? 'primary' : ''}" part="button" @click=${press}>${label}</button>`;
    const bytes = formatBytes(files.reduce((sum, { size }) => sum + size, 0));
    return html`
      <section>
        <h3>${t('take.texts')}</h3>
        <p class="hint">${missing > 0 ? t('confirm.missing', { count: missing }) : t('take.texts-hint')}</p>
        <div class="ways">
          ${button(['CSV'], () => this.#saveText(csvOf(items), 'texts.csv', 'text/csv'))}
          ${button(['JSON'], () => this.#saveText(jsonOf(items), 'texts.json', 'application/json'))}
        </div>
      </section>
      <section>
        <h3>HTML</h3>
        <p class="hint">${t(none ? 'take.after-export' : 'take.html-hint')}</p>
        ${
          none
            ? nothing
            : html`<div class="ways">
                ${button(t('take.copy', { what: '<picture>' }), () => this.#copy('picture'))}
                ${button(t('take.copy', { what: '<img srcset>' }), () => this.#copy('img'))}
              </div>`
        }
      </section>
      ${
        this.noDownload
          ? nothing
          : html`<section>
              <h3>${t('take.files')}</h3>
              <p class="hint numbers">${none ? t('take.after-export') : t('take.files-hint', { count: files.length, bytes })}</p>
              ${
                none
                  ? nothing
                  : html`<div class="ways">${button(
                      html`${icon('download')}${
                        this.file > 0 ? t('compare.position', { index: this.file, count: files.length }) : t('take.zip')
                      }`,
                      () => this.#saveZip(),
                      true,
                    )}</div>`
              }
            </section>`
      }
      <p class="hint said" role="status">${this.said}</p>
    `;
  }
}
