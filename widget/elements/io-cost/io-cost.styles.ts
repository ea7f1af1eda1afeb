import { css } from 'lit';

/** Styles of the cost: one line of figures with dots between them. */
export const costStyles = css`
  :host {
    display: block;
    min-inline-size: 0;
  }
  .cost {
    display: grid;
    grid-template-columns: auto 1fr;
    align-items: start;
    gap: 2px var(--_s2);
    line-height: 1.4;
  }
  .cost > .icon {
    color: var(--_muted);
  }
  .figures {
    display: flex;
    flex-wrap: wrap;
  }
  /* One line, as high as that of the wait. The button to export tells the number of images, too. */
  @container io (inline-size < 400px) {
    .figures:not(:has(.short)) li:first-child {
      display: none;
    }
  }
  .figures.old {
    opacity: 0.65;
  }
  /* At the end of an item, so that no line starts with a dot. */
  .figures li:not(:last-child)::after {
    content: '·';
    content: '·' / '';
    margin-inline: 0.5em;
    color: var(--_muted);
    font-weight: 400;
  }
  .short {
    color: var(--_danger);
    font-weight: 600;
  }
  .more {
    grid-column: 2;
    color: var(--_muted);
  }
`;
