import type { ImageOptimizer } from '../../../widget/index.ts';
import { connectHost, type HostConnection, type HostElement, type HostOutcome } from '../../host/index.ts';
import { createAttachTransport } from './attach-transport.ts';
import { chooseMedia } from './choose-media.ts';
import { formatBytes, make } from './make.ts';
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
  const element = createElement(rest, config);
  const problems = document.createElement('ul');
  problems.className = 'imagewright-problems';
  problems.setAttribute('role', 'status');
  const connection = await connectHost(element as unknown as HostElement, createWordPressHost(rest, config), {
    onOutcome: (outcome) => {
      // Runs leave out images without a gain, so the panel changes for these too.
      if (outcome.status !== 'failed') changed();
    },
  });
  const context: ReviewContext = { rest, config, element, problems, connection };
  const add = (ids: readonly string[]) => {
    problems.replaceChildren();
    return addImages(context, ids);
  };
  element.addEventListener('io-before-add', (event) => {
    if (event.detail.source === 'api') return;
    event.preventDefault();
    void addFiles(context, [...event.detail.files]);
  });
  const chooser = renderChooser(config, (ids) => void add(ids));
  element.addEventListener('io-state-change', () => placeChooser(chooser, element.state));
  placeChooser(chooser, 'empty');
  element.append(chooser, renderHint(config));
  if (!config.describes)
    place.append(make('p', { className: 'notice notice-info inline' }, config.strings.noModel ?? ''));
  place.append(element, problems);
  return { element, connection, add };
}

interface ReviewContext {
  readonly rest: Rest;
  readonly config: SiteConfig;
  readonly element: ImageOptimizer;
  /** List of images that could not be added. */
  readonly problems: HTMLElement;
  readonly connection: HostConnection;
}

function createElement(rest: Rest, config: SiteConfig): ImageOptimizer {
  const element = document.createElement('image-optimizer');
  element.mode = 'replace';
  element.endpoint = `${config.root}/service`;
  element.locale = config.locale;
  element.formatBytes = (bytes) => formatBytes(bytes, config);
  element.analyzeOptions = { language: config.language };
  element.transport = createAttachTransport(rest) as ImageOptimizer['transport'];
  return element;
}

async function addImages(context: ReviewContext, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const failed: HostOutcome[] = await context.connection.add(ids);
  for (const { filename, message } of failed) showProblem(context, filename, message ?? '');
  await fitSizes(context);
}

/** Adds files to the library, since only images of the library can be replaced, and then to the widget. */
async function addFiles(context: ReviewContext, files: readonly Blob[]): Promise<void> {
  const { rest, config, problems } = context;
  problems.replaceChildren();
  const refused = (name: string, reason: string) => showProblem(context, name, reason);
  await addImages(context, await uploadMedia(files, { root: config.root, rest, refused }));
}

function showProblem({ problems }: ReviewContext, name: string, reason: string): void {
  const line = document.createElement('li');
  line.textContent = `${name}: ${reason}`;
  problems.append(line);
}

/** Updates the sizes for the chosen images: portraits have their own. */
async function fitSizes({ rest, element }: ReviewContext): Promise<void> {
  const ids = element.items.flatMap(({ clientRef }) => (clientRef ? [clientRef] : []));
  if (ids.length === 0) return;
  const sizes = await rest.call<ExportSettings>('GET', '/export-settings', { query: { ids } });
  element.settings = {
    responsive: sizes.responsive,
    responsiveSizes: sizes.responsiveSizes ?? [],
    onlySmaller: sizes.onlySmaller,
  };
}

function renderChooser({ strings }: SiteConfig, choose: (ids: string[]) => void): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button imagewright-choose';
  button.textContent = strings.choose ?? '';
  button.addEventListener('click', () => chooseMedia(strings, choose));
  return button;
}

/** Puts the button into the drop zone while there are no images, else beside the buttons that add more. */
function placeChooser(chooser: HTMLElement, state: string): void {
  chooser.slot = state === 'empty' ? 'dropzone-hint' : 'toolbar-start';
}

function renderHint({ strings }: SiteConfig): HTMLElement {
  const hint = document.createElement('span');
  hint.slot = 'dropzone-hint';
  hint.textContent = strings.dropHint ?? '';
  return hint;
}
