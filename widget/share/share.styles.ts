import { css } from 'lit';

/** Styles of the page of a link. */
export const pageStyles = css`
  :host {
    min-block-size: 100vh;
  }
  main {
    max-inline-size: 1080px;
    margin-inline: auto;
    padding: 24px 16px 48px;
  }
  header {
    display: grid;
    grid-template-columns: 1fr auto;
    gap: 4px 16px;
    align-items: center;
    min-block-size: 96px;
    margin-block-end: 16px;
  }
  header p {
    grid-column: 1 / -1;
    max-inline-size: 70ch;
  }
  h1 {
    margin: 0;
    font-size: var(--_t20);
    font-weight: 600;
    line-height: 1.4;
    overflow-wrap: anywhere;
  }
  .images {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(min(100%, 440px), 1fr));
    gap: 12px;
    align-items: start;
  }
  footer {
    margin-block: 24px;
    font-size: var(--_t13);
  }
  footer bdi {
    display: block;
  }
  .bar {
    position: sticky;
    inset-block-end: 0;
    z-index: 1;
    display: flex;
    flex-wrap: wrap;
    gap: 8px 12px;
    align-items: center;
    justify-content: space-between;
    margin-inline: -16px;
    padding: 12px 16px;
    /* As wide as the window. WebKit does not draw a spread shadow beside what sticks. */
    border-image: linear-gradient(var(--_border) 1px, var(--_surface) 1px) fill 0 / 0 / 1px 100vmax 12px;
  }
  strong {
    font-weight: 600;
  }
  .bar progress {
    flex: 1 1 160px;
  }
  .buttons {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
  }
  .bad {
    color: var(--_danger);
  }
  .end {
    display: flex;
    gap: 16px;
    align-items: center;
    margin-block-end: 16px;
    padding: 16px;
    border-radius: var(--_radius);
    background: color-mix(in oklab, var(--_success) 10%, var(--_surface));
    scroll-margin-block-start: 16px;
    --_icon: 40px;
  }
  .end .icon {
    color: var(--_success);
  }
  .end h2 {
    font-size: var(--_t20);
    font-weight: 600;
    line-height: 1.4;
  }
  @media (max-height: 480px) {
    .bar {
      position: static;
    }
  }
`;

/** Styles of one shared image: a card; one line as soon as it is answered. */
export const imageStyles = css`
  :host {
    display: block;
    scroll-margin-block-start: 8px;
    container: image / inline-size;
  }
  article {
    position: relative;
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 12px;
    padding: 12px;
    border: 1px solid var(--_border);
    border-radius: var(--_radius);
    background: var(--_surface);
  }
  .about {
    display: grid;
    gap: 8px;
    align-content: start;
    min-inline-size: 0;
  }
  h2 {
    font-weight: 600;
    overflow-wrap: anywhere;
  }
  h2:focus-visible {
    outline: none;
  }
  dl {
    display: grid;
    gap: 8px;
  }
  dt {
    font-size: var(--_t12);
    color: var(--_muted);
  }
  dd {
    overflow-wrap: anywhere;
    white-space: pre-wrap;
  }
  .answer {
    display: grid;
    gap: 8px;
  }
  .field {
    display: grid;
    gap: 4px;
  }
  /* Telephones enlarge a page whose field has smaller text. */
  @media (pointer: coarse) {
    .input {
      font-size: var(--_t16);
    }
  }
  .buttons {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    --_control: 44px;
  }
  .approve {
    color: var(--_success);
  }
  .bad {
    color: var(--_danger);
  }
  .bad:empty {
    margin-block-start: -8px;
  }
  .closed {
    grid-template-columns: 48px minmax(0, 1fr) auto;
    gap: 0 12px;
    align-items: center;
    min-block-size: 64px;
    padding: 7px;
  }
  .closed share-picture {
    grid-area: 1 / 1 / 3 / 2;
  }
  .closed .about {
    display: contents;
  }
  .closed h2,
  .given {
    grid-column: 2;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .given {
    grid-row: 2;
    font-size: var(--_t13);
  }
  .given .badge {
    font-size: 1em;
  }
  .again {
    grid-area: 1 / 3 / 3 / 4;
    --_control: 44px;
  }
  .whole::after {
    content: '';
    position: absolute;
    inset: 0;
  }
  @container image (max-width: 480px) {
    .words {
      position: absolute;
      inline-size: 1px;
      block-size: 1px;
      overflow: hidden;
      clip-path: inset(50%);
      white-space: nowrap;
    }
  }
`;
