import { css } from 'lit';

/** Styles of the list: rows below each other, or a grid of cards. The page scrolls them, unless a height is given. */
export const listStyles = css`
  :host {
    display: block;
  }
  .none {
    padding: calc(var(--_space) * 8) var(--_s4);
    color: var(--_muted);
    text-align: center;
  }
  ul {
    overflow: auto;
    max-block-size: var(--_list-max);
    scroll-padding-block: var(--_s4);
  }
  /* Shadow at the lower edge while there are more rows below, since many scroll bars are hidden. */
  @media (forced-colors: none) {
    ul {
      background:
        linear-gradient(transparent, var(--_surface) 60%) bottom / 100% 40px no-repeat local,
        linear-gradient(transparent, color-mix(in oklab, var(--_text) 16%, transparent)) bottom / 100% 14px no-repeat;
    }
  }
  .grid {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(min(168px, 42%), 1fr));
  }
  .grid .gap {
    grid-column: 1 / -1;
  }
  .grid li:not(.gap) {
    border: 0;
  }
  /* No content-visibility: screen readers miss skipped content. */
  li:not(.gap) {
    contain: content;
    border-block-end: 1px solid var(--_border);
  }
  .brief {
    min-block-size: var(--_height, var(--_row-min));
  }
  li:last-child {
    border-block-end: 0;
  }
`;
