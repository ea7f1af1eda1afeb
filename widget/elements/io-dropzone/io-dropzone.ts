import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { I18n } from '../../i18n/index.ts';
import type { AddSource } from '../../state/index.ts';
import { buttons, foundation, icon } from '../../styles/index.ts';
import { emptyPicture, pictureStyles } from './empty-picture.ts';
import { dropzoneStyles } from './io-dropzone.styles.ts';
import { carriesText, isForText } from './pasted-text.ts';
import { watchDrag } from './watch-drag.ts';

/** Details of `dropzone-files`. */
export interface FilesDetail {
  files: FileList | DataTransfer;
  source: AddSource;
}

/**
 * Accepts files from a picker, a folder, a drop anywhere on `area`, or a paste while the focus or the pointer is in it.
 *
 * @tag io-dropzone
 * @fires {CustomEvent<FilesDetail>} dropzone-files - Files were chosen.
 * @fires {CustomEvent<boolean>} dropzone-drag - A drag of files entered (true) or left (false) the area.
 * @fires {Event} dropzone-dialog - A file dialog was closed.
 * @slot empty - Replaces picture and text of the large form.
 * @slot hint - Replaces the line about accepted files.
 * @csspart dropzone - The frame.
 * @csspart drop-overlay - Overlay shown while files are dragged over the area.
 * @csspart picker-button - The button "Add images".
 */
export class IoDropzone extends LitElement {
  static override styles = [foundation, buttons, pictureStyles, dropzoneStyles];
  static override properties = {
    i18n: { attribute: false },
    area: { attribute: false },
    accept: {},
    large: { type: Boolean, reflect: true },
    disabled: { type: Boolean },
    noDrop: { type: Boolean },
    noPaste: { type: Boolean },
    noFolder: { type: Boolean },
    drag: { state: true },
  };

  /** Texts and number formats. */
  declare i18n: I18n;
  /** Element that accepts drops; default: this element. */
  declare area: HTMLElement | null;
  /** Accepted types, as in `<input accept>`. */
  declare accept: string;
  /** True for the large form with picture and text, shown without images. */
  declare large: boolean;
  /** Prevents adding files. */
  declare disabled: boolean;
  /** Disables dropping. */
  declare noDrop: boolean;
  /** Disables pasting. */
  declare noPaste: boolean;
  /** Hides the button for folders. */
  declare noFolder: boolean;
  declare protected drag: 'page' | 'area' | null;

  #stopDrag: (() => void) | null = null;

  constructor() {
    super();
    this.area = null;
    this.accept = '';
    this.large = true;
    this.disabled = false;
    this.noDrop = false;
    this.noPaste = false;
    this.noFolder = false;
    this.drag = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) this.#watch();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stopDrag?.();
    this.#stopDrag = null;
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('area')) this.#watch();
  }

  /** Opens the file dialog. Browsers allow it only in response to a click or key. */
  openPicker(folder = false): void {
    if (this.disabled) return;
    const input = this.renderRoot.querySelector<HTMLInputElement>(folder ? '.folder' : '.files');
    if (input) input.click();
  }

  /** Focuses "Add images". */
  override focus(options?: FocusOptions): void {
    this.renderRoot.querySelector<HTMLElement>('.pick')?.focus(options);
  }

  get #area(): HTMLElement {
    return this.area ?? this;
  }

  #watch(): void {
    this.#stopDrag?.();
    this.#stopDrag = watchDrag(this.#area, {
      isOpen: () => !this.disabled && !this.noDrop,
      onDrop: (data) => this.#send(data, 'drop'),
      onPaste: (event, target, isInside) => this.#paste(event, target, isInside),
      onChange: (where) => {
        const was = this.drag === 'area';
        this.drag = where;
        const is = where === 'area';
        if (was !== is) this.dispatchEvent(new CustomEvent('dropzone-drag', { detail: is }));
      },
    });
  }

  #send(files: FilesDetail['files'], source: AddSource): void {
    const detail: FilesDetail = { files, source };
    this.dispatchEvent(new CustomEvent('dropzone-files', { detail }));
  }

  #picked(event: Event): void {
    const input = event.target as HTMLInputElement;
    this.dispatchEvent(new Event('dropzone-dialog'));
    if (input.files?.length) this.#send(input.files, input.webkitdirectory ? 'folder' : 'picker');
    // Without this, choosing the same file again would not be a change.
    input.value = '';
  }

  #paste(event: ClipboardEvent, target: EventTarget | undefined, isInside: boolean): void {
    const data = event.clipboardData;
    if (!data?.files.length || event.defaultPrevented || this.disabled || this.noPaste) return;
    if (isForText(target) || carriesText(data)) return;
    if (!isInside && !this.#area.matches(':hover')) return;
    event.preventDefault();
    this.#send(data, 'paste');
  }

  protected override render(): TemplateResult {
    const { t } = this.i18n;
    return html`
      <div class="zone ${this.drag ? 'awake' : ''}" part="dropzone">
        ${
          this.large
            ? html`<slot name="empty">${emptyPicture(t(this.noDrop ? 'dropzone.title-pick' : 'dropzone.title'))}</slot>`
            : nothing
        }
        <div class="buttons">
          <button type="button" class="button pick ${this.large ? 'primary large' : ''}" part="picker-button"
            ?disabled=${this.disabled} @click=${() => this.openPicker()}>
            ${icon('add')}${t('dropzone.pick')}
          </button>
          ${
            this.noFolder
              ? nothing
              : html`<button type="button" class="button quiet folder-pick ${this.large ? 'large' : ''}" ?disabled=${this.disabled}
                  @click=${() => this.openPicker(true)}>${t('dropzone.pick-folder')}</button>`
          }
        </div>
        ${this.large ? html`<p class="hint"><slot name="hint">${t('dropzone.hint')}</slot></p>` : nothing}
        <input class="files" type="file" multiple hidden tabindex="-1" aria-hidden="true" accept=${this.accept}
          @change=${this.#picked} @cancel=${this.#picked} />
        <input class="folder" type="file" multiple webkitdirectory hidden tabindex="-1" aria-hidden="true"
          @change=${this.#picked} @cancel=${this.#picked} />
      </div>
      <div class="overlay" part="drop-overlay" ?hidden=${!this.drag} aria-hidden="true">
        <span class="${this.drag === 'area' ? 'over' : ''}">${icon('upload')}${t('dropzone.drop')}</span>
      </div>
    `;
  }
}
