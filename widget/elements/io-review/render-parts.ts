import { html, type TemplateResult } from 'lit';
import type { I18n } from '../../i18n/index.ts';
import { icon } from '../../styles/index.ts';

/** Renders the buttons to the images before and after. They keep the focus at the ends, where they do nothing. */
export function renderSteps(
  { t }: I18n,
  can: { back: boolean; on: boolean },
  step: (by: 1 | -1) => void,
): TemplateResult[] {
  return (['previous', 'next'] as const).map((name) => {
    const label = t(`compare.${name}`);
    const able = name === 'next' ? can.on : can.back;
    return html`<button type="button" class="button quiet icon-only ${name}" part="button" aria-label=${label} title=${label}
      aria-disabled=${!able} @click=${() => able && step(name === 'next' ? 1 : -1)}>${icon('down')}</button>`;
  });
}

/** Renders the end of a review. Page Up leads back to the last image. */
export function renderEnd(text: string, { t }: I18n, go: { close(): void; back(): void }): TemplateResult {
  const onKeydown = (event: KeyboardEvent) => {
    if (event.key !== 'PageUp') return;
    event.preventDefault();
    go.back();
  };
  return html`
    <div class="end" @keydown=${onKeydown}>
      ${icon('check')}
      <p class="numbers">${text}</p>
      <div class="ways">
        <button type="button" class="button primary large close" part="button button-primary"
          @click=${go.close}>${t('action.close')}</button>
      </div>
    </div>
  `;
}
