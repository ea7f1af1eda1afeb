import { ask } from '../ask.ts';
import { questionOf } from '../question-of.ts';
import { RestError } from '../rest.ts';
import type { LibraryImage } from '../site-config.ts';
import {
  describeUse,
  type EditorContext,
  messageOf,
  originOf,
  recordOf,
  setAlt,
  setDecorative,
  textIn,
} from './editor-context.ts';
import type { ImageUse } from './image-blocks.ts';
import type { Known } from './image-states.ts';
import { h, type Rendered, wp } from './wordpress.ts';

/** State of an image in a panel; null while it is read, and without an image (0). */
export function useKnown({ states }: EditorContext, id: number): Known {
  const [known, setKnown] = wp.element.useState<Known>(null);
  wp.element.useEffect(() => (id > 0 ? states.watch(id, setKnown) : undefined), [id]);
  return known;
}

/** Price of a description; undefined while it is asked for. */
export function usePrice({ price }: EditorContext): number | null | undefined {
  const [known, setKnown] = wp.element.useState<number | null | undefined>(undefined);
  wp.element.useEffect(() => {
    let isShown = true;
    void price.then((credits) => isShown && setKnown(credits));
    return () => {
      isShown = false;
    };
  }, []);
  return known;
}

/** Properties of {@link ImagePanel}. */
export interface ImagePanelProps {
  context: EditorContext;
  use: ImageUse & { id: number };
  /** True if WordPress has a control of its own for decorative images. */
  hasDecorative: boolean;
}

/** Shows the state of an image and its text in one block, with what can be done about them. */
export function ImagePanel({ context, use, hasDecorative }: ImagePanelProps): Rendered {
  const known = useKnown(context, use.id);
  const price = usePrice(context);
  const [busy, setBusy] = wp.element.useState('');
  const [problem, setProblem] = wp.element.useState('');
  const image = known && 'image' in known ? known.image : null;
  const run = async (name: string, action: () => Promise<void>) => {
    setBusy(name);
    setProblem('');
    await action().catch((error: unknown) => setProblem(messageOf(error)));
    setBusy('');
  };
  const button = (key: string, action: () => Promise<void>, label = textIn(context, key)) =>
    h(
      wp.components.Button,
      { key, variant: 'secondary', isBusy: busy === key, disabled: busy !== '', onClick: () => void run(key, action) },
      label,
    );
  const describe = async () => setAlt(use, await describeUse(context, use));
  return h(
    'div',
    { className: 'imagewright-editor' },
    h(
      'p',
      { className: 'imagewright-editor-state', role: 'status', 'data-state': image?.picture ?? '' },
      stateOf(known),
    ),
    h('div', { className: 'imagewright-editor-buttons' }, ...fileButtons(context, image, button)),
    h(
      'p',
      { className: 'imagewright-editor-text' },
      use.alt ? `“${use.alt}”` : '',
      ' ',
      h('em', null, originOf(context, use, image)),
    ),
    h(
      'div',
      { className: 'imagewright-editor-buttons' },
      context.config.describes &&
        context.config.maySpend &&
        !use.decorative &&
        price !== undefined &&
        button('describe', describe, describeLabel(context, price)),
      isUnconfirmed(use, image) && button('confirm', () => confirm(context, use)),
    ),
    !context.config.describes && h('p', { className: 'imagewright-editor-note' }, textIn(context, 'noDescribe')),
    !hasDecorative &&
      h(wp.components.ToggleControl, {
        __nextHasNoMarginBottom: true,
        label: textIn(context, 'decorative'),
        help: textIn(context, use.href ? 'decorativeLinked' : 'decorativeHelp'),
        checked: use.decorative,
        disabled: use.href !== '',
        onChange: (decorative: boolean) => setDecorative(use, decorative),
      }),
    problem && h('p', { className: 'imagewright-bad', role: 'alert' }, problem),
  );
}

/** Label of the button that describes, with its price. */
export function describeLabel(context: EditorContext, price: number | null | undefined): string {
  return price ? textIn(context, 'describeFor', { n: String(price) }) : textIn(context, 'describe');
}

function stateOf(known: Known): Rendered {
  if (!known) return h(wp.components.Spinner);
  return 'problem' in known ? known.problem : known.image.statusText;
}

type MakeButton = (key: string, action: () => Promise<void>) => Rendered;

function fileButtons(context: EditorContext, image: LibraryImage | null, button: MakeButton): Rendered[] {
  if (!image) return [];
  const { isReady, maySpend } = context.config;
  const canOptimize = ['none', 'failed', 'interrupted', 'outdated'].includes(image.picture) && image.obstacle === '';
  const canRestore = ['optimized', 'edited', 'interrupted', 'outdated'].includes(image.picture);
  return [
    isReady && maySpend && canOptimize && button('optimize', () => change(context, image.id, 'optimize')),
    canRestore && button('restore', () => change(context, image.id, 'restore')),
  ];
}

/** Optimizes or restores an image. Asks before it discards anything. */
async function change(
  context: EditorContext,
  id: number,
  action: 'optimize' | 'restore',
  force = false,
): Promise<void> {
  const json = action === 'restore' ? { force } : { fillText: false, allowLarger: force };
  try {
    context.states.put(await context.rest.call<LibraryImage>('POST', `/attachments/${id}/${action}`, { json }));
  } catch (error) {
    const question = error instanceof RestError && !force ? questionOf(error, context.config.strings) : null;
    const { config } = context;
    if (!question || !(await ask([question], { yes: config.strings.continue ?? '', config }))) throw error;
    await change(context, id, action, true);
  }
}

function isUnconfirmed(use: ImageUse, image: LibraryImage | null): boolean {
  const record = recordOf(use.alt, image);
  return record !== null && !record.confirmed;
}

async function confirm({ rest, states }: EditorContext, { id, alt }: ImageUse): Promise<void> {
  states.put(await rest.call<LibraryImage>('POST', `/attachments/${id}/confirm`, { json: { alt } }));
}
