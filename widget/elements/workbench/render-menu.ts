import { html, type TemplateResult } from 'lit';
import { type IconName, icon } from '../../styles/index.ts';
import { pressed } from './render-toolbar.ts';
import type { WorkbenchAction, WorkbenchContext } from './workbench-context.ts';

type Entry = [action: WorkbenchAction, icon: IconName, key: string, off?: boolean];

/** Renders the last button of the toolbar and its menu of rare actions. In a locked element they are those that change nothing. */
export function renderMenu({ optimizer, i18n: { t }, locked, act }: WorkbenchContext): TemplateResult {
  const take: Entry = ['take-away', 'download', 'take.title'];
  const entries: Entry[] = locked
    ? [take]
    : [
        ['undo', 'undo', 'toolbar.undo', !optimizer.canUndo],
        ['redo', 'undo', 'toolbar.redo', !optimizer.canRedo],
        take,
        ['confirm-clear', 'trash', 'toolbar.clear'],
      ];
  return html`
    <button type="button" class="button quiet icon-only more" part="button" popovertarget="menu" aria-haspopup="menu"
      aria-label=${t('toolbar.more')} title=${t('toolbar.more')} @keydown=${openByArrow}>${icon('more')}</button>
    <div class="menu" part="menu" id="menu" popover role="menu" aria-label=${t('toolbar.more')}
      @keydown=${moveByKey} @beforetoggle=${place}>
      ${entries.map(
        ([action, name, key, off = false], index) => html`
          <button type="button" class="button quiet ${action}" part="button ${action === 'confirm-clear' ? 'button-danger' : ''}" role="menuitem" tabindex="-1"
            ?autofocus=${index === 0} aria-disabled=${off} @click=${pressed(act, action)}>${icon(name)}${t(key)}</button>
        `,
      )}
    </div>
  `;
}

function openByArrow(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown') return;
  event.preventDefault();
  (event.currentTarget as HTMLElement).click();
}

/**
 * Focuses the button before the menu closes, which in a shadow root Chromium does not. Where CSS has no anchors (Chrome before 129,
 * Safari before 26, Firefox before 147) it places the menu below its button, or above it in the lower half of the window; also from right to
 * left, which Firefox 153 places at the other side.
 */
function place({ newState, currentTarget }: ToggleEvent): void {
  const menu = currentTarget as HTMLElement;
  const button = menu.previousElementSibling as HTMLElement;
  const isRtl = button.matches(':dir(rtl)');
  if (newState === 'closed') {
    if (menu.matches(':focus-within')) button.focus();
  } else if (isRtl || !CSS.supports('position-area', 'end')) {
    const { left, right, top, bottom } = button.getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    const side = isRtl ? `auto auto auto ${left}px` : `auto ${clientWidth - right}px auto auto`;
    menu.style.cssText = `position-area: none; inset: ${side}`;
    if (top + bottom > clientHeight) menu.style.bottom = `${clientHeight - top}px`;
    else menu.style.top = `${bottom}px`;
    // What stands in the window does not follow the page.
    addEventListener('scroll', () => menu.hidePopover(), { capture: true, once: true });
  }
}

function moveByKey(event: KeyboardEvent): void {
  const menu = event.currentTarget as HTMLElement;
  // The focus goes on from the button of the menu.
  if (event.key === 'Tab') menu.hidePopover();
  const items = [...menu.children] as HTMLElement[];
  const at = items.indexOf(event.target as HTMLElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  items.at(to % items.length)?.focus();
}
