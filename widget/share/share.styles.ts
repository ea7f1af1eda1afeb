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
    min-block-size: 136px;
    margin-block-end: 16px;
  }
  header p {
    grid-column: 1 / -1;
  }
  h1 {
    margin: 0;
    font-size: 1.6em;
    line-height: 1.2;
  }
  .intro {
    max-inline-size: 62ch;
  }
  .images {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 16px;
  }
  /* The first ones may be in sight, where a guessed height would move the next one. */
  .images > li:nth-child(n + 8) {
    content-visibility: auto;
    contain-intrinsic-size: auto 420px;
  }
  footer {
    margin-block-start: 24px;
    font-size: 0.9em;
  }
`;

/** Styles of one shared image. */
export const imageStyles = css`
  :host {
    display: block;
  }
  article {
    display: grid;
    grid-template-columns: minmax(0, 5fr) minmax(0, 4fr);
    gap: 16px 24px;
    padding: 16px;
    border: 1px solid var(--_border);
    border-radius: var(--_radius);
    background: var(--_surface);
  }
  .picture img,
  .picture svg {
    display: block;
    inline-size: auto;
    block-size: auto;
    max-inline-size: 100%;
    max-block-size: 60vh;
    margin-inline: auto;
    border-radius: 6px;
    background: var(--_surface-2);
  }
  .about {
    display: grid;
    gap: 12px;
    align-content: start;
    min-inline-size: 0;
  }
  h2 {
    font-size: 1.1em;
    font-weight: 600;
    overflow-wrap: anywhere;
  }
  dl {
    display: grid;
    gap: 8px;
  }
  dt {
    font-size: 0.85em;
    color: var(--_muted);
  }
  dd {
    overflow-wrap: anywhere;
    white-space: pre-wrap;
  }
  .answer {
    display: grid;
    gap: 8px;
    padding-block-start: 12px;
    border-block-start: 1px solid var(--_border);
  }
  .field {
    display: grid;
    gap: 4px;
  }
  textarea {
    inline-size: 100%;
    resize: vertical;
  }
  .buttons {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
  }
  .button[aria-pressed='true'] {
    outline: 2px solid var(--_focus);
    outline-offset: 1px;
  }
  .good {
    color: var(--_success);
  }
  .bad {
    color: var(--_danger);
  }
  .compare {
    grid-column: 1 / -1;
  }
  @media (max-width: 720px) {
    article {
      grid-template-columns: minmax(0, 1fr);
      padding: 12px;
    }
  }
`;
