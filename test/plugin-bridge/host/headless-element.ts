import type { HostElement } from '../../../plugin-bridge/host/index.ts';
import { createI18n, loadLocale } from '../../../widget/i18n/index.ts';
import { Optimizer } from '../../../widget/state/index.ts';

const { t } = createI18n({ locale: 'en', messages: await loadLocale('en') });

/** The widget's flow as an element without rendering. */
export class HeadlessElement extends EventTarget implements HostElement {
  readonly optimizer: Optimizer;
  endpoint: string;
  apiKey: string | undefined;
  strings: unknown = {};
  #headers: unknown;
  #transport: unknown;

  constructor({ endpoint, apiKey }: { endpoint: string; apiKey?: string }) {
    super();
    this.endpoint = endpoint;
    this.apiKey = apiKey;
    this.optimizer = new Optimizer({ endpoint, apiKey, translate: t, environment: { storage: null } });
    this.optimizer.on((event) => {
      const { type, detail, cancelable } = event;
      const sent = new CustomEvent(type, { detail, cancelable });
      if (!this.dispatchEvent(sent)) event.preventDefault();
    });
  }

  set importBy(importBy: 'page' | 'server') {
    this.optimizer.configure({ importBy });
  }
  get headers(): unknown {
    return this.#headers;
  }
  set headers(headers) {
    this.#headers = headers;
    this.optimizer.configure({ headers: headers as never });
  }
  get transport(): unknown {
    return this.#transport;
  }
  set transport(transport) {
    this.#transport = transport;
    this.optimizer.configure({ transport: transport as never });
  }
  get items() {
    return this.optimizer.items.list();
  }
  get state() {
    return this.optimizer.state;
  }
  get sessionId(): string | null {
    return this.optimizer.sessionId;
  }
  set sessionId(sessionId) {
    if (sessionId) void this.optimizer.attach(sessionId);
  }
  get settings(): HostElement['settings'] {
    return this.optimizer.settings;
  }
  set settings(settings) {
    this.optimizer.setSettings(settings as never);
  }
  addItems: HostElement['addItems'] = (media) => this.optimizer.addItems(media);
  upload = () => this.optimizer.upload();
  export = (ids?: readonly string[]) => this.optimizer.exportImages(ids);
  replace = (id: string) => this.optimizer.replace(id);
  remove = (id: string) => this.optimizer.remove(id);
  cancel = () => this.optimizer.cancel();
  getState = () => this.optimizer.getState();
  restore = (state: object) => this.optimizer.restore(state as never);

  /** Simulates a closed tab. */
  close(): void {
    this.optimizer.dispose();
  }
}
