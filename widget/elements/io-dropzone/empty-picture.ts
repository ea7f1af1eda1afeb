import { css, html, type TemplateResult } from 'lit';

/** Renders the empty state: a picture and a line of text. Needs {@link pictureStyles}. */
export function emptyPicture(title: string): TemplateResult {
  return html`
    <div class="picture">${drawing}</div>
    <p class="invitation">${title}</p>
  `;
}

/** Two overlapping pictures in the colours of text and accent. */
const drawing = html`<svg viewBox="0 0 128 88" aria-hidden="true">
  <rect class="sheet" x="8" y="20" width="72" height="54" rx="8" transform="rotate(-9 44 47)" />
  <rect class="sheet" x="46" y="18" width="72" height="54" rx="8" transform="rotate(8 82 45)" />
  <rect class="sheet front" x="26" y="12" width="76" height="58" rx="9" />
  <circle class="sun" cx="84" cy="29" r="6" />
  <path class="hill" d="M26 60l19-20a5 5 0 0 1 7.2 0l13.8 14 6-5.600a5 5 0 0 1 6.8 0L102 70H35a9 9 0 0 1-9-9z" />
</svg>`;

/** Styles of {@link emptyPicture}. */
export const pictureStyles = css`
  .picture svg {
    display: var(--_picture, block);
    inline-size: 128px;
    block-size: 88px;
    margin-inline: auto;
    overflow: visible;
  }
  .sheet {
    fill: var(--_surface);
    stroke: color-mix(in oklab, var(--_edge) 60%, var(--_border));
    stroke-width: 1.5;
  }
  .front {
    stroke: var(--_accent);
  }
  .sun {
    fill: color-mix(in oklab, var(--_accent) 35%, var(--_surface));
  }
  .hill {
    fill: color-mix(in oklab, var(--_accent) 18%, var(--_surface));
  }
  .invitation {
    margin-block: var(--_s5) var(--_s4);
    font-size: var(--_t20);
    font-weight: 600;
    line-height: 1.25;
  }
`;
