import { css } from 'lit';

/** One line of figures with dots between them. */
export const costStyles = css`
  :host {
    display: block;
    min-inline-size: 0;
  }
  .cost {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 2px calc(var(--_space) * 2);
    line-height: 1.4;
  }
  .cost > .icon {
    color: var(--_muted);
  }
  .figures {
    display: flex;
    flex-wrap: wrap;
    transition: opacity 150ms;
  }
  .figures.old {
    opacity: 0.65;
  }
  .figures li + li::before {
    content: '·';
    content: '·' / '';
    margin-inline: 0.5em;
    color: var(--_muted);
    font-weight: 400;
  }
  .figures strong {
    font-weight: 650;
  }
  .short {
    color: var(--_danger);
    font-weight: 600;
  }
  .more {
    flex-basis: 100%;
    color: var(--_muted);
  }
`;
