import { css, unsafeCSS } from 'lit';
import custom from './tokens.css?inline';

/**
 * The tokens of `tokens.css`. Used by top-level elements, whose shadow root has one `<div class="base" part="base">` around
 * all; inner elements inherit them. Pages set the public ones (`--io-*`) on the element or an ancestor.
 *
 * `all: initial` keeps the page's styles out. The colour scheme is that of the page.
 */
export const tokens = css`
  ${unsafeCSS(custom)}
  :host {
    all: initial;
    display: block;
    color-scheme: inherit;
    /* Base of sizes in em, independent of the page's universal rules; pages set --io-font-size. */
    font-size: medium !important;
  }
  :host([hidden]) {
    display: none;
  }
  /* Universal rules of the page override :host and are inherited; the inheritance ends here. */
  .base {
    all: initial;
    display: block;
    box-sizing: border-box;
    color-scheme: inherit;
    forced-color-adjust: inherit;
    pointer-events: inherit;
    visibility: inherit;
    container: io / inline-size;
    font-family: var(--_font);
    font-size: var(--io-font-size, 0.875em);
    line-height: var(--_line);
    color: var(--_text);
    text-align: start;
    -webkit-font-smoothing: antialiased;
    font-synthesis-weight: none;
    overflow-wrap: break-word;
    accent-color: var(--_accent);
  }
`;

/** Base styles of every shadow root: box sizing, focus ring, hidden text, forced colours. The element has no transitions. */
export const foundation = css`
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  [hidden] {
    display: none !important;
  }
  :focus-visible {
    outline: 2px solid var(--_focus);
    outline-offset: 2px;
  }
  h2,
  h3,
  p,
  ul,
  dl,
  dd {
    margin: 0;
    padding: 0;
    font: inherit;
  }
  ul {
    list-style: none;
  }
  h3,
  strong {
    font-weight: 600;
  }
  .visually-hidden {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    margin: -1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  @media (forced-colors: active) {
    :focus-visible {
      outline-color: Highlight;
    }
  }
`;
