import type { ImageOptimizer } from '../../../widget/index.ts';
import { connectHost, type HostConnection, type HostElement, type HostOutcome } from '../../host/index.ts';
import { createAttachTransport } from './attach-transport.ts';
import { chooseMedia } from './choose-media.ts';
import type { Rest } from './rest.ts';
import type { SiteConfig } from './site-config.ts';
import { uploadMedia } from './upload-media.ts';
import { createWordPressHost, type ExportSettings } from './wordpress-host.ts';

/** The widget, connected to the media library. */
export interface Review {
  element: ImageOptimizer;
  connection: HostConnection;
  /** Adds images of the library to the widget. */
  add(ids: readonly string[]): Promise<void>;
}

/** Creates the widget in `place`. Its images come from the library, and its results replace them there. */
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
      // Runs leave out images without a gain, so the panel changes for these too.
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

  /** Updates the sizes for the chosen images: portraits have their own. */
  async function fitSizes(): Promise<void> {
    const ids = element.items.flatMap(({ clientRef }) => (clientRef ? [clientRef] : []));
    if (ids.length === 0) return;
    const sizes = await rest.call<ExportSettings>('GET', '/export-settings', { query: { ids } });
    element.settings = { responsive: sizes.responsive, responsiveSizes: sizes.responsiveSizes ?? [] };
  }

  // Dropped files are added to the library first, since only images of the library can be replaced.
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
