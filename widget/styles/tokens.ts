import { css } from 'lit';

/**
 * Maps the public custom properties (`--io-*`) with their defaults to the private ones (`--_*`) all style sheets use.
 * Pages set public ones on the element or an ancestor. Used by top-level elements, whose shadow root has one
 * `<div class="base" part="base">` around all; inner elements inherit the private ones.
 *
 * `all: initial` keeps the page's styles out. The colour scheme is that of the page.
 */
export const tokens = css`
  :host {
    all: initial;
    display: block;
    color-scheme: inherit;
    /* Base of sizes in em, independent of the page's universal rules; pages set --io-font-size. */
    font-size: medium !important;
    --_font: var(
      --io-font,
      system-ui,
      -apple-system,
      'Segoe UI',
      Roboto,
      'Noto Sans',
      'Helvetica Neue',
      Arial,
      sans-serif
    );
    --_line: var(--io-line-height, 1.5);
    --_text: var(--io-color-text, light-dark(#1b1e25, #eceef2));
    --_muted: var(--io-color-muted, light-dark(#5a6170, #a5acb9));
    --_surface: var(--io-color-surface, light-dark(#fff, #17191f));
    --_surface-2: var(--io-color-surface-2, light-dark(#f6f7f9, #20232a));
    --_border: var(--io-color-border, light-dark(#e0e3e8, #343943));
    --_accent: var(
      --io-color-accent,
      light-dark(var(--wp-admin-theme-color, #2271b1), color-mix(in oklab, var(--wp-admin-theme-color, #2271b1), #fff 48%))
    );
    --_on-accent: var(--io-color-on-accent, light-dark(#fff, #0d1520));
    --_danger: var(--io-color-danger, light-dark(#b3261e, #ff9b91));
    --_success: var(--io-color-success, light-dark(#146c43, #75d6a0));
    --_warning: var(--io-color-warning, light-dark(#885200, #f2bd63));
    --_focus: var(--io-focus-ring, var(--_accent));
    --_radius: var(--io-radius, 10px);
    --_space: var(--io-space, 4px);
    --_s2: calc(var(--_space) * 2);
    --_s3: calc(var(--_space) * 3);
    --_s4: calc(var(--_space) * 4);
    --_s5: calc(var(--_space) * 5);
    --_s6: calc(var(--_space) * 6);
    --_r1: calc(var(--_radius) * 0.6);
    --_r3: calc(var(--_radius) * 1.6);
    --_thumb: var(--io-thumb-size, 56px);
    --_row-min: var(--io-row-min-height, 72px);
    --_list-max: var(--io-list-max-height, none);
    --_control: var(--io-control-height, 36px);
    --_shadow: var(--io-shadow, 0 1px 2px rgb(16 20 30 / 6%), 0 8px 28px -12px rgb(16 20 30 / 14%));
    --_z: var(--io-z-overlay, 10);
    /* Derived: an edge with a contrast of 3:1, and tints of the surface. */
    --_edge: color-mix(in oklab, var(--_muted) 72%, var(--_surface));
    --_tint: color-mix(in oklab, var(--_accent) 8%, var(--_surface));
    --_hover: color-mix(in oklab, var(--_text) 6%, transparent);
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
    font-size: var(--io-font-size, 0.9375em);
    line-height: var(--_line);
    color: var(--_text);
    text-align: start;
    -webkit-font-smoothing: antialiased;
    font-synthesis-weight: none;
    overflow-wrap: break-word;
    accent-color: var(--_accent);
  }
`;

/** Base styles of every shadow root: box sizing, focus ring, hidden text, reduced motion, forced colours. */
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
  .visually-hidden {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    margin: -1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  @media (prefers-reduced-motion: reduce) {
    *,
    *::before,
    *::after {
      animation-duration: 1ms !important;
      animation-iteration-count: 1 !important;
      transition-duration: 1ms !important;
      scroll-behavior: auto !important;
    }
  }
  @media (forced-colors: active) {
    :focus-visible {
      outline-color: Highlight;
    }
    .icon {
      color: CanvasText;
    }
    button .icon {
      color: inherit;
    }
  }
`;
