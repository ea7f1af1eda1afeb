import { make, makeButton } from './make.ts';
import type { SiteConfig } from './site-config.ts';

/**
 * Asks a question in a dialog. The focus is on the button that changes nothing.
 * @param lines paragraphs; the first one is the question
 * @param answer `yes` is the text of the button that agrees
 * @returns true if the person agreed
 */
export function ask(
  lines: readonly string[],
  { yes, config }: { yes: string; config: Pick<SiteConfig, 'strings'> },
): Promise<boolean> {
  const dialog = make('dialog', { className: 'imagewright-question' });
  const no = makeButton(config.strings.cancel ?? '', () => dialog.close());
  no.autofocus = true;
  const [question = '', ...more] = lines.filter(Boolean);
  dialog.setAttribute('aria-label', question);
  dialog.append(
    make('h2', {}, question),
    ...more.map((line) => make('p', {}, line)),
    make(
      'p',
      { className: 'imagewright-ways' },
      makeButton(yes, () => dialog.close('yes'), 'button-primary'),
      no,
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
  });
}
