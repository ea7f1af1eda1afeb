import type { ImageOptimizer } from '../../../widget/index.ts';
import { connectHost, type HostConnection, type HostElement, type HostOutcome } from '../../host/index.ts';
import { createAttachTransport } from './attach-transport.ts';
import { chooseMedia } from './choose-media.ts';
import type { Rest } from './rest.ts';
import type { SiteConfig } from './site-config.ts';
import { uploadMedia } from './upload-media.ts';
import { createWordPressHost, type ExportSettings } from './wordpress-host.ts';

/** The widget on the page, working on the media library. */
export interface Review {
  element: ImageOptimizer;
  connection: HostConnection;
  /** Puts images of the library into the widget. */
  add(ids: readonly string[]): Promise<void>;
}

/** Puts the widget into `place`: images come from the library, and results go back to it. */
export async function createReview(
  place: HTMLElement,
  { rest, config, changed }: { rest: Rest; config: SiteConfig; changed: () => void },
): Promise<Review> {
  const { strings, root, locale } = config;
  const element = document.createElement('image-optimizer');
  element.mode = 'replace';
  element.endpoint = `${root}/service`;
  element.locale = locale;
  element.analyzeOptions = { language: config.language };
  element.transport = createAttachTransport(rest) as ImageOptimizer['transport'];
  const problems = document.createElement('ul');
  problems.className = 'imagewright-problems';
  problems.setAttribute('role', 'status');

  const host = createWordPressHost(rest, config);
  const connection = await connectHost(element as unknown as HostElement, host, {
    onOutcome: (outcome) => {
      // One that is no gain is left out of runs from now on.
      if (outcome.status !== 'failed') changed();
    },
  });
  const tell = (name: string, reason: string) => {
    const line = document.createElement('li');
    line.textContent = `${name}: ${reason}`;
    problems.append(line);
  };

  async function add(ids: readonly string[]): Promise<void> {
    problems.replaceChildren();
    await addUploaded(ids);
  }

  async function addUploaded(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const failed: HostOutcome[] = await connection.add(ids);
    for (const { filename, message } of failed) tell(filename, message ?? '');
    await fitSizes();
  }

  /** Portraits need sizes of their own: the sizes are asked for again when the choice changes. */
  async function fitSizes(): Promise<void> {
    const ids = element.items.flatMap(({ clientRef }) => (clientRef ? [clientRef] : []));
    if (ids.length === 0) return;
    const sizes = await rest.call<ExportSettings>('GET', '/export-settings', { query: { ids } });
    element.settings = { responsive: sizes.responsive, responsiveSizes: sizes.responsiveSizes ?? [] };
  }

  // What is dropped on the widget becomes part of the library first: only what is there can be replaced.
  element.addEventListener('io-before-add', (event) => {
    if (event.detail.source === 'api') return;
    event.preventDefault();
    const files = [...event.detail.files];
    problems.replaceChildren();
    void uploadMedia(files, { root, rest, refused: tell }).then(addUploaded);
  });

  const choose = document.createElement('button');
  choose.type = 'button';
  choose.slot = 'toolbar-start';
  choose.className = 'button imagewright-choose';
  choose.textContent = strings.choose ?? '';
  choose.addEventListener('click', () => chooseMedia(strings, (ids) => void add(ids)));
  const hint = document.createElement('span');
  hint.slot = 'dropzone-hint';
  hint.textContent = strings.dropHint ?? '';
  element.append(choose, hint);
  place.append(element, problems);
  return { element, connection, add };
}
