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
    font-size: 1.3333em;
    font-weight: 600;
    line-height: 1.25;
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
    font-size: 0.9333em;
  }
  .bar {
    position: sticky;
    inset-block-end: 0;
    display: flex;
    flex-wrap: wrap;
    gap: 8px 16px;
    align-items: center;
    justify-content: space-between;
    margin-inline: -16px;
    padding: 12px 16px;
    border-block-start: 1px solid var(--_border);
    background: var(--_surface);
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
  }
  article {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 12px;
    padding: 12px;
    border: 1px solid var(--_border);
    border-radius: var(--_radius);
    background: var(--_surface);
  }
  .picture {
    position: relative;
    display: grid;
    justify-items: center;
    gap: 8px;
    min-inline-size: 0;
  }
  .picture img,
  .picture svg:not(.icon) {
    display: block;
    inline-size: auto;
    block-size: auto;
    max-inline-size: 100%;
    max-block-size: min(60vh, 320px);
    border-radius: 6px;
    background: var(--_surface-2);
  }
  io-compare {
    inline-size: 100%;
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
  dl {
    display: grid;
    gap: 8px;
  }
  dt {
    font-size: 0.8667em;
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
  .closed {
    grid-template-columns: 48px minmax(0, 1fr) auto;
    gap: 0 12px;
    align-items: center;
    min-block-size: 64px;
    padding: 7px;
  }
  .closed .picture {
    grid-area: 1 / 1 / 3 / 2;
  }
  .closed .picture img,
  .closed .picture svg {
    inline-size: 48px;
    block-size: 48px;
    object-fit: cover;
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
    font-size: 0.9333em;
  }
  .again {
    grid-area: 1 / 3 / 3 / 4;
  }
`;
