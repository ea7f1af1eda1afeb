import { LitElement, type PropertyDeclarations, type PropertyValues } from 'lit';
import type { I18n, Messages } from '../../i18n/index.ts';
import {
  type Announcement,
  createOptimizer,
  DEFAULT_CONFIG,
  DEFAULT_SETTINGS,
  NO_LIMITS,
  type Optimizer,
  type OptimizerConfig,
  type OptimizerEvent,
  type Restrictions,
  type Settings,
} from '../../state/index.ts';
import { englishI18n, loadI18n, nearestLanguage } from './choose-language.ts';
import { CONFIG_NAMES, LIMIT_NAMES, LIMIT_OR_NULL, pick, SETTING_NAMES, TRUE_BY_DEFAULT } from './config-properties.ts';

/** The flow of an element that nobody holds any more ends with it: timers and requests, not jobs at the server. */
const abandoned =
  typeof FinalizationRegistry === 'undefined'
    ? null
    : new FinalizationRegistry<Optimizer>((optimizer) => optimizer.dispose());

/** Headers of each request, or what gives them. */
export type Headers = NonNullable<OptimizerConfig['headers']>;

/** Properties of the public element, and the flow behind it. */
export class ConfiguredElement extends LitElement {
  static override properties: PropertyDeclarations = {
    endpoint: {},
    headers: { attribute: false },
    apiKey: { attribute: false },
    transport: { attribute: false },
    sessionId: { attribute: 'session-id', reflect: true },
    accept: {},
    maxFiles: { attribute: 'max-files', converter: LIMIT_OR_NULL },
    maxFileSize: { attribute: 'max-file-size', converter: LIMIT_OR_NULL },
    maxTotalSize: { attribute: 'max-total-size', converter: LIMIT_OR_NULL },
    maxPixels: { attribute: 'max-pixels', converter: LIMIT_OR_NULL },
    validate: { attribute: false },
    concurrency: { type: Number },
    retries: { type: Number },
    stallTimeout: { type: Number, attribute: 'stall-timeout' },
    batchSize: { type: Number, attribute: 'batch-size' },
    autoUpload: { attribute: 'auto-upload', converter: TRUE_BY_DEFAULT },
    autoAnalyze: { type: Boolean, attribute: 'auto-analyze' },
    importBy: { attribute: 'import-by' },
    analyzeOptions: { attribute: false },
    noDrop: { type: Boolean, attribute: 'no-drop' },
    noPaste: { type: Boolean, attribute: 'no-paste' },
    noFolder: { type: Boolean, attribute: 'no-folder' },
    noSample: { type: Boolean, attribute: 'no-sample' },
    noAnalyze: { type: Boolean, attribute: 'no-analyze' },
    noDownload: { type: Boolean, attribute: 'no-download' },
    mode: {},
    format: {},
    preset: {},
    responsive: { type: Boolean },
    responsiveSizes: { attribute: false },
    // Lit takes over what a page sets before the class is known; otherwise that would hide what is set later.
    settings: { attribute: false, noAccessor: true },
    locale: {},
    strings: { attribute: false },
    disabled: { type: Boolean, reflect: true },
    readonly: { type: Boolean, reflect: true },
    i18n: { state: true },
  };

  /** Base URL of the service or of the CMS' proxy; `/v1/…` is appended. Empty: the page's own origin. */
  declare endpoint: string;
  /** Headers of each request, or a function that is asked each time (a CMS' nonce). */
  declare headers: Headers | undefined;
  /** The service's key. For development and trusted pages only: whoever sees the page can read it. No attribute. */
  declare apiKey: string | undefined;
  /** Calls that replace those of the built-in client. */
  declare transport: OptimizerConfig['transport'];
  /** The session at the service; set it to bring its images back. */
  declare sessionId: string | null;
  /** Types of files that may be added, as in `<input accept>`. */
  declare accept: string;
  /** Most images. */
  declare maxFiles: number | null;
  /** Most bytes of one file. */
  declare maxFileSize: number | null;
  /** Most bytes of all files. */
  declare maxTotalSize: number | null;
  /** Most pixels of one image. */
  declare maxPixels: number | null;
  /** Refuses a file with a message. */
  declare validate: Restrictions['validate'];
  /** Uploads at a time. */
  declare concurrency: number;
  /** Tries of one upload. */
  declare retries: number;
  /** Milliseconds without a byte until an upload is tried anew. */
  declare stallTimeout: number;
  /** Images in one request of an export, 1-99. */
  declare batchSize: number;
  /** Uploads as soon as files are added; `auto-upload="false"`: when `upload()` is called. */
  declare autoUpload: boolean;
  /** Describes images as soon as they are uploaded. */
  declare autoAnalyze: boolean;
  /** `server`: the service fetches CMS media from their addresses; `page`: the page does. */
  declare importBy: 'page' | 'server';
  /** Options of the analysis: `language`, `context`, `keywords`, `brandVoice`, `overwrite`. */
  declare analyzeOptions: { [option: string]: unknown };
  /** No dropping of files. */
  declare noDrop: boolean;
  /** No pasting of files. */
  declare noPaste: boolean;
  /** No button for folders. */
  declare noFolder: boolean;
  /** No free sample. */
  declare noSample: boolean;
  /** No analysis. */
  declare noAnalyze: boolean;
  /** No downloads. */
  declare noDownload: boolean;
  /** `replace`: results are handed to the CMS by `io-replace`. */
  declare mode: 'download' | 'replace';
  /** Output format. */
  declare format: string;
  /** Quality. */
  declare preset: string;
  /** Also make smaller sizes. */
  declare responsive: boolean;
  /** Widths or boxes of the smaller sizes; undefined: the service's own. */
  declare responsiveSizes: Settings['responsiveSizes'];
  /** BCP 47 tag of the texts; default: the nearest `lang`. */
  declare locale: string | null;
  /** Texts that replace the built-in ones, by key. */
  declare strings: Messages;
  /** Nothing can be done. */
  declare disabled: boolean;
  /** Nothing can be changed; results can be compared and downloaded. */
  declare readonly: boolean;

  /** Texts and formats in use. */
  declare protected i18n: I18n;
  /** The flow behind the element. */
  protected readonly optimizer: Optimizer;

  /** Fulfilled when all texts are there. */
  protected languageReady: Promise<void> = Promise.resolve();

  /** Held apart from the element, so that the flow does not hold the element. */
  readonly #texts: { i18n: I18n };
  #seen: { settings: Settings | null; sessionId: string | null } = { settings: null, sessionId: null };
  #languageRun = 0;
  #warned = false;

  constructor() {
    super();
    Object.assign(this, DEFAULT_CONFIG, NO_LIMITS, DEFAULT_SETTINGS, {
      sessionId: null,
      analyzeOptions: {},
      mode: 'download',
      locale: null,
      strings: {},
      i18n: englishI18n({}),
    });
    for (const name of ['noDrop', 'noPaste', 'noFolder', 'noSample', 'noAnalyze', 'noDownload'] as const) {
      this[name] = false;
    }
    this.disabled = false;
    this.readonly = false;
    const texts = { i18n: this.i18n };
    this.#texts = texts;
    this.optimizer = createOptimizer({
      translate: (key, params) => texts.i18n.t(key, params),
      formatBytes: (bytes) => texts.i18n.formatBytes(bytes),
    });
    // A weak hold, and no end of it: an element that is out of the page for a moment loses no event.
    this.#seen = { settings: this.optimizer.settings, sessionId: null };
    const self = new WeakRef(this);
    this.optimizer.on((event) => self.deref()?.forwardEvent(event));
    this.optimizer.subscribe(() => self.deref()?.optimizerChanged());
    this.optimizer.onAnnounce((announcement) => self.deref()?.announced(announcement));
    abandoned?.register(this, this.optimizer);
  }

  /** Settings of exports: `format`, `preset`, `responsive` and more. Only the given settings change. */
  get settings(): Settings {
    return this.optimizer.settings;
  }

  set settings(settings: Partial<Settings>) {
    // What was set property by property before.
    this.#takeSettings();
    this.optimizer.setSettings(settings);
    this.#showSettings();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.languageReady = this.#chooseLanguage();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('locale') || changed.has('strings')) this.languageReady = this.#chooseLanguage();
    const oneOf = (names: readonly (keyof ConfiguredElement)[]) => names.some((name) => changed.has(name));
    if (oneOf(['noAnalyze', ...CONFIG_NAMES, ...LIMIT_NAMES])) this.optimizer.configure(this.#config());
    if (oneOf(SETTING_NAMES)) this.#takeSettings();
    if (changed.has('apiKey') && this.apiKey && !this.#warned) {
      this.#warned = true;
      console.warn(
        '<image-optimizer>: apiKey is for development. In production set endpoint to a proxy that adds the key.',
      );
    }
    const { sessionId } = this;
    if (changed.has('sessionId') && sessionId && sessionId !== this.optimizer.sessionId) {
      // What went wrong is among the notices.
      void this.optimizer.attach(sessionId).catch(() => {});
    }
  }

  /** Called after anything of the flow changed. */
  protected optimizerChanged(): void {
    const { settings, sessionId } = this.optimizer;
    // Only what changed there: what the page has just set here is not taken in yet.
    if (sessionId !== this.#seen.sessionId) this.sessionId = sessionId;
    if (settings !== this.#seen.settings) this.#showSettings();
    this.#seen = { settings, sessionId };
    this.requestUpdate();
  }

  /** Called with what a live region should say. */
  protected announced(_announcement: Announcement): void {}

  /** Sends an event of the flow out of the element. */
  protected forwardEvent({ type, detail, cancelable, preventDefault }: OptimizerEvent): void {
    const event = new CustomEvent(type, { detail, cancelable, bubbles: true, composed: true });
    if (!this.dispatchEvent(event)) preventDefault();
  }

  #config(): Partial<OptimizerConfig> {
    return {
      ...pick(this, CONFIG_NAMES),
      autoAnalyze: this.autoAnalyze && !this.noAnalyze,
      restrictions: pick(this, LIMIT_NAMES),
    };
  }

  #takeSettings(): void {
    const given = pick(this, SETTING_NAMES) as Partial<Settings>;
    // A value that nobody knows is reported by `io-error`, and the default stays.
    if (JSON.stringify(given) === JSON.stringify(pick(this.optimizer.settings, SETTING_NAMES))) return;
    this.optimizer.setSettings(given);
    this.#showSettings();
  }

  #showSettings(): void {
    Object.assign(this, pick(this.optimizer.settings, SETTING_NAMES));
  }

  async #chooseLanguage(): Promise<void> {
    this.#languageRun += 1;
    const run = this.#languageRun;
    const i18n = await loadI18n(this.locale || nearestLanguage(this), this.strings);
    if (run !== this.#languageRun) return;
    this.i18n = i18n;
    this.#texts.i18n = i18n;
  }
}
