import type { Limits } from '#contract';
import type { ClientOptions } from '../../plugin-bridge/sdk/index.ts';
import { type Announcer, createAnnouncer } from './announcer.ts';
import { createDebounce } from './debounce.ts';
import { type Environment, pageEnvironment } from './environment.ts';
import { isExpired, toOptimizerError } from './errors.ts';
import { CANCELABLE_EVENTS, type EventDetails, type EventName, type OptimizerEvent } from './event-details.ts';
import { createItemStore, type MutableStore } from './item-store.ts';
import { createListeners, type Listeners } from './listeners.ts';
import type { Translate } from './messages.ts';
import { createNotices, type Notices } from './notices.ts';
import type { SessionToRead } from './session/saved-types.ts';
import { DEFAULT_SETTINGS } from './session/settings.ts';
import { createTransport, type Transport } from './transport.ts';
import type { OptimizerError, Phase, Restrictions, Settings } from './types.ts';

/** Delay of change events, in milliseconds. */
const FRAME_MS = 16;
/** Delay of change events of progress, in milliseconds. */
const PROGRESS_MS = 250;

/** Options that can be changed at any time. */
export interface OptimizerConfig {
  /** Base URL of `/v1/…`. Default: the page's own origin. */
  endpoint: string;
  /** Sent with each request; a function is called for each. */
  headers: ClientOptions['headers'];
  /** For development and trusted pages only. */
  apiKey: string | undefined;
  /** Calls that replace those of the client. */
  transport: Partial<Transport> | undefined;
  restrictions: Partial<Restrictions>;
  /** Uploads at a time, 1-10. */
  concurrency: number;
  /** Upload tries for a file before it is given up, 1-10. */
  retries: number;
  /** Milliseconds without a byte after which an upload is retried; 0 turns it off. */
  stallTimeout: number;
  /** Images in one export request, 1-99. */
  batchSize: number;
  autoUpload: boolean;
  autoAnalyze: boolean;
  /** `server`: CMS media are imported by the service from their addresses; else the page fetches them. */
  importBy: 'page' | 'server';
  /** Options of an analysis: `language`, `context`, `keywords` … */
  analyzeOptions: { [option: string]: unknown };
  /** Name under which this tab keeps session, settings and texts for a reload; empty: only by the session's id. */
  remember: string;
  settings: Partial<Settings>;
  translate: Translate;
  /** Writes a size in bytes, in the widget's language. */
  formatBytes(bytes: number): string;
}

/** Options of `Optimizer`. */
export interface OptimizerOptions extends Partial<OptimizerConfig> {
  environment?: Partial<Environment>;
}

/** State and services that all parts of the flow share. */
export interface Core {
  readonly env: Environment;
  readonly config: OptimizerConfig;
  readonly store: MutableStore;
  readonly announcer: Announcer;
  readonly notices: Notices;
  readonly events: Listeners<[OptimizerEvent]>;
  readonly changes: Listeners<[]>;
  readonly t: Translate;
  sessionId: string | null;
  /** Incremented when everything is cleared: results of earlier requests are dropped. */
  epoch: number;
  /** Resolves when the session that is being opened is there, or cannot be had; uploads go there. */
  opened: Promise<unknown> | null;
  /** The session that could not be read and that `retry` reads again; until then uploads fail by the same cause. */
  unread: (SessionToRead & { cause: unknown }) | null;
  settings: Settings;
  balance: number | null;
  /** Limits of the service, as far as they are known. */
  limits: Partial<Limits>;
  /** The error that makes every request fail, e.g. a rejected key; null: none. */
  blocked: OptimizerError | null;
  transport(): Transport;
  configure(config: Partial<OptimizerConfig>): void;
  /** Dispatches an event; false if a listener prevented the action. */
  emit<Name extends EventName>(type: Name, detail: EventDetails[Name]): boolean;
  /** Schedules a call of the `subscribe` listeners; `progress`: at most four times a second. */
  touch(progress?: boolean): void;
  /** Returns the widget's error for a cause, and emits `io-error`. */
  report(cause: unknown, phase: Phase, ids?: readonly string[]): OptimizerError;
  dispose(): void;
}

/** Default options, except restrictions and settings. */
export const DEFAULT_CONFIG = {
  endpoint: '',
  headers: undefined,
  apiKey: undefined,
  transport: undefined,
  concurrency: 3,
  retries: 3,
  stallTimeout: 120_000,
  batchSize: 50,
  autoUpload: true,
  autoAnalyze: false,
  importBy: 'page',
  analyzeOptions: {},
  remember: '',
} as const satisfies Partial<OptimizerConfig>;

function configOf(options: Partial<OptimizerConfig>): OptimizerConfig {
  return {
    ...DEFAULT_CONFIG,
    restrictions: {},
    settings: {},
    translate: (key) => key,
    formatBytes: (bytes) => `${bytes}`,
    ...options,
  };
}

/** Says that the session has ended at the service; texts are kept here, and files that are at hand can be uploaded again. */
function showExpired({ limits, notices, store, t }: Core): void {
  const items = store.list();
  const message = () => t(items.length > 0 ? 'notice.expired' : 'error.session_not_found', hoursOf(limits));
  const actions = items.some(({ file, url }) => file || url) ? (['renew'] as const) : [];
  notices.show('expired', { kind: 'warning', message, actions });
}

/** Hours for which the service keeps a session, as a parameter of texts. */
const hoursOf = ({ sessionHours: hours = 24 }: Partial<Limits>) => ({ hours });

/** Creates the state and services that all parts of the flow share. */
export function createCore({ environment, ...options }: OptimizerOptions): Core {
  const env = { ...pageEnvironment(), ...environment };
  const config = configOf(options);
  const changes = createListeners<[]>();
  const changeEvent = createDebounce(env, changes.call);
  const events = createListeners<[OptimizerEvent]>();
  let transport: Transport | null = null;

  const touch = (progress = false) => changeEvent.schedule(progress ? PROGRESS_MS : FRAME_MS);
  const t: Translate = (key, params) => config.translate(key, params);
  const store = createItemStore(env, touch);
  const announcer = createAnnouncer(env);

  const core: Core = {
    env,
    config,
    store,
    announcer,
    notices: createNotices(touch),
    events,
    changes,
    t,
    sessionId: null,
    epoch: 0,
    opened: null,
    unread: null,
    settings: DEFAULT_SETTINGS,
    balance: null,
    limits: {},
    blocked: null,
    transport() {
      const { endpoint, headers, apiKey } = config;
      transport ??= { ...createTransport({ endpoint, headers, apiKey }), ...config.transport };
      return transport;
    },
    configure(changed) {
      Object.assign(config, changed);
      transport = null;
    },
    emit(type, detail) {
      let prevented = false;
      const cancelable = CANCELABLE_EVENTS.includes(type);
      const preventDefault = () => {
        prevented = cancelable;
      };
      events.call({ type, detail, cancelable, preventDefault } as OptimizerEvent);
      return !prevented;
    },
    touch,
    report(cause, phase, ids = []) {
      const error = toOptimizerError(cause, t, ids);
      core.emit('io-error', { error, phase });
      if (isExpired(error)) showExpired(core);
      return error;
    },
    dispose() {
      changeEvent.cancel();
      store.dispose();
      announcer.dispose();
    },
  };
  return core;
}
