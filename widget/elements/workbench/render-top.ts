import { html, type TemplateResult } from 'lit';
import type { I18n } from '../../i18n/index.ts';
import { renderClose } from '../render-close.ts';

/** Renders the head of a dialog: its title, and the button that closes it. */
export function renderTop(i18n: I18n, title: string): TemplateResult {
  return html`<form method="dialog" class="top">
    <h2 id="dialog-title">${i18n.t(title)}</h2>
    ${renderClose(i18n)}
  </form>`;
}
