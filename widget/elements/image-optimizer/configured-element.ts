import { LitElement, type PropertyDeclarations, type PropertyValues } from 'lit';
import { type I18n, type Messages, nearestLanguage } from '../../i18n/index.ts';
import {
  type Announcement,
  Optimizer,
  type OptimizerConfig,
  type OptimizerEvent,
  type Restrictions,
  type Settings,
} from '../../state/index.ts';
import { englishI18n, loadI18n } from './choose-language.ts';
import {
  CONFIG_NAMES,
  DEFAULTS,
  LIMIT_NAMES,
  LIMIT_OR_NULL,
  pick,
  SETTING_NAMES,
  TRUE_BY_DEFAULT,
} from './config-properties.ts';

/** Disposes the flow of a garbage-collected element: its timers and requests, not its jobs at the service. */
const abandoned = new FinalizationRegistry<Optimizer>((optimizer) => optimizer.dispose());

/** Headers of each request, or a function that returns them. */
export type Headers = NonNullable<OptimizerConfig['headers']>;

/** Base class with the properties of the public element and its flow. */
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
    remember: {},
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
    // Lit moves values set before the upgrade to the accessor, which they would hide otherwise.
    settings: { attribute: false, noAccessor: true },
    locale: { reflect: true },
    strings: { attribute: false },
    formatBytes: { attribute: false },
    compact: { type: Boolean, reflect: true },
    disabled: { type: Boolean, reflect: true },
    readonly: { type: Boolean, reflect: true },
    i18n: { state: true },
  };

  /** Base URL of the service or of a CMS proxy; `/v1/…` is appended. Empty: the page's own origin. */
  declare endpoint: string;
  /** Headers of each request, or a function called before each request, for example for a nonce. */
  declare headers: Headers | undefined;
  /** API key of the service. For development and trusted pages only: all visitors can read it. No attribute. */
  declare apiKey: string | undefined;
  /** Calls that replace those of the built-in client. */
  declare transport: OptimizerConfig['transport'];
  /** Session at the service. Set it to restore its images. */
  declare sessionId: string | null;
  /** Types of files that can be added, as in `<input accept>`. */
  declare accept: string;
  /** Most images. */
  declare maxFiles: number | null;
  /** Most bytes of one file. */
  declare maxFileSize: number | null;
  /** Most bytes of all files. */
  declare maxTotalSize: number | null;
  /** Most pixels of one image. */
  declare maxPixels: number | null;
  /** Validates a file; a returned message rejects it. */
  declare validate: Restrictions['validate'];
  /** Concurrent uploads. */
  declare concurrency: number;
  /** Tries of one upload. */
  declare retries: number;
  /** Time without progress after which an upload is retried, in milliseconds. */
  declare stallTimeout: number;
  /** Images in one request of an export, 1-99. */
  declare batchSize: number;
  /** Uploads files as soon as they are added. With `auto-upload="false"` only `upload()` does. */
  declare autoUpload: boolean;
  /** Analyses images as soon as they are uploaded. */
  declare autoAnalyze: boolean;
  /** `server`: the service downloads CMS media from their addresses; `page`: the page does. */
  declare importBy: 'page' | 'server';
  /** Name under which this tab keeps session, settings and texts, and restores them after a reload. Default: nothing is kept. */
  declare remember: string;
  /** Options of the analysis: `language` or `languages`, `context`, `keywords`, `brandVoice`, `overwrite`. */
  declare analyzeOptions: { [option: string]: unknown };
  /** Disables dropping files. */
  declare noDrop: boolean;
  /** Disables pasting files. */
  declare noPaste: boolean;
  /** Hides the button for folders. */
  declare noFolder: boolean;
  /** Disables free samples. */
  declare noSample: boolean;
  /** Disables the analysis. */
  declare noAnalyze: boolean;
  /** Disables downloads. */
  declare noDownload: boolean;
  /** `replace`: results are passed to the CMS by `io-replace`. */
  declare mode: 'download' | 'replace';
  /** Output format. */
  declare format: Settings['format'];
  /** Quality preset. */
  declare preset: Settings['preset'];
  /** Also exports smaller sizes. */
  declare responsive: boolean;
  /** Widths or boxes of the smaller sizes. Undefined: the service's default. */
  declare responsiveSizes: Settings['responsiveSizes'];
  /** BCP 47 tag of the texts. Default: the nearest `lang`. */
  declare locale: string | null;
  /** Texts that replace the built-in ones, by key. */
  declare strings: Messages;
  /** Formats bytes in place of the element, e.g. in the units of the page: `872 KB`. */
  declare formatBytes: ((bytes: number) => string) | undefined;
  /** Takes less room, for narrow columns: no frame, a small drop zone, and low rows that open for their other fields. @default false */
  declare compact: boolean;
  /** Disables all controls. @default false */
  declare disabled: boolean;
  /** Prevents changes; results can be compared and downloaded. @default false */
  declare readonly: boolean;

  /** Texts and formats in use. */
  declare protected i18n: I18n;
  /** The flow behind the element. */
  protected readonly optimizer: Optimizer;

  /** Resolves when the texts are loaded. */
  protected languageReady: Promise<void> = Promise.resolve();

  /** Separate object, so that the flow does not reference the element. */
  readonly #texts: { i18n: I18n };
  #seen: { settings: Settings | null; sessionId: string | null } = { settings: null, sessionId: null };
  #languageRun = 0;
  #warned = false;
  #recalled = false;

  constructor() {
    super();
    Object.assign(this, DEFAULTS, { i18n: englishI18n({}) });
    const texts = { i18n: this.i18n };
    this.#texts = texts;
    this.optimizer = new Optimizer({
      translate: (key, params) => texts.i18n.t(key, params),
      formatBytes: (bytes) => texts.i18n.formatBytes(bytes),
    });
    // Weak, and kept while the element is disconnected: a moved element misses no event.
    this.#seen = { settings: this.optimizer.settings, sessionId: null };
    const self = new WeakRef(this);
    this.optimizer.on((event) => self.deref()?.forwardEvent(event));
    this.optimizer.subscribe(() => self.deref()?.optimizerChanged());
    this.optimizer.onAnnounce((announcement) => self.deref()?.announced(announcement));
    abandoned.register(this, this.optimizer);
  }

  /** Settings of exports: `format`, `preset`, `responsive` and more. Only the given settings change. */
  get settings(): Settings {
    return this.optimizer.settings;
  }

  set settings(settings: Partial<Settings>) {
    // Single properties set before.
    this.#takeSettings();
    this.optimizer.setSettings(settings);
    this.#showSettings();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.languageReady = this.#chooseLanguage();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const oneOf = (names: readonly (keyof ConfiguredElement)[]) => names.some((name) => changed.has(name));
    if (oneOf(['locale', 'strings', 'formatBytes'])) this.languageReady = this.#chooseLanguage();
    if (oneOf(['noAnalyze', 'locale', ...CONFIG_NAMES, ...LIMIT_NAMES])) this.optimizer.configure(this.#config());
    if (oneOf(SETTING_NAMES)) this.#takeSettings();
    if (changed.get('apiKey') && this.optimizer.state === 'error') this.#continueAsNewKey();
    if (changed.has('apiKey') && this.apiKey && !this.apiKey.startsWith('iwt_') && !this.#warned) {
      this.#warned = true;
      console.warn('<image-optimizer>: an API key in a page is for development. Use a proxy or a session token.');
    }
    const { sessionId } = this;
    if (!this.#recalled && !this.disabled) {
      this.#recalled = true;
      // Failures are shown as notices.
      if (!sessionId) void this.optimizer.recall().catch(() => {});
    }
    if (changed.has('sessionId') && sessionId && sessionId !== this.optimizer.sessionId) {
      // Failures are shown as notices.
      void this.optimizer.attach(sessionId).catch(() => {});
    }
  }

  /** Repeats what the former key or session token was refused. */
  #continueAsNewKey(): void {
    const refused = this.optimizer.items.list().filter(({ error }) => error?.status === 401);
    // Failures are shown as notices.
    void this.optimizer.retry(refused.map(({ id }) => id)).catch(() => {});
  }

  /** Called after each change of the flow. */
  protected optimizerChanged(): void {
    const { settings } = this.optimizer;
    this.#showSession();
    if (settings !== this.#seen.settings) this.#showSettings();
    this.#seen.settings = settings;
    this.requestUpdate();
  }

  /** Called with a text for the live regions. */
  protected announced(_announcement: Announcement): void {}

  /** Dispatches an event of the flow at the element. */
  protected forwardEvent({ type, detail, cancelable, preventDefault }: OptimizerEvent): void {
    // Listeners find the session of the first upload.
    this.#showSession();
    const event = new CustomEvent(type, { detail, cancelable, bubbles: true, composed: true });
    if (!this.dispatchEvent(event)) preventDefault();
  }

  /** Only changes of the flow: a value just set by the page has not reached the flow yet. */
  #showSession(): void {
    const { sessionId } = this.optimizer;
    if (sessionId !== this.#seen.sessionId) this.sessionId = sessionId;
    this.#seen.sessionId = sessionId;
  }

  #config(): Partial<OptimizerConfig> {
    return {
      ...pick(this, CONFIG_NAMES),
      autoAnalyze: this.autoAnalyze && !this.noAnalyze,
      analyzeOptions: this.#analysis,
      restrictions: pick(this, LIMIT_NAMES),
    };
  }

  get #analysis(): { [option: string]: unknown } {
    const { language, ...options } = this.analyzeOptions;
    return options.languages ? options : { ...options, language: language || this.#pageLanguage };
  }

  /** Language of the element and its surroundings, in which images are described unless the options name another one. */
  get #pageLanguage(): string | undefined {
    const tag = (this.locale || nearestLanguage(this)).replaceAll('_', '-');
    return /^[a-z]{2,3}(-[a-z0-9]{1,8})*$/i.test(tag) ? tag : undefined;
  }

  #takeSettings(): void {
    const given = pick(this, SETTING_NAMES) as Partial<Settings>;
    // Invalid values are reported by `io-error` and replaced by the default.
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
    i18n.formatBytes = this.formatBytes ?? i18n.formatBytes;
    this.i18n = i18n;
    this.#texts.i18n = i18n;
  }
}
