import { css } from 'lit';

/** Styles of the figures on top and of the first steps of a new account. */
export const overviewStyles = css`
  .figures {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 190px), 1fr));
    gap: 20px;
  }
  .figures dl {
    margin: 0;
  }
  .figures .card {
    gap: 0;
    align-content: center;
    min-block-size: 96px;
    padding: 8px 16px;
  }
  .figures dd:not(.note) {
    font-size: 1.5em;
  }
  .skeleton {
    display: block;
    inline-size: 3.5em;
    max-inline-size: 100%;
    block-size: 0.9em;
    margin-block: 0.15em;
    border-radius: 6px;
    background: var(--_surface-2);
  }
  .figures small {
    font-size: 0.5em;
    font-weight: 500;
    letter-spacing: 0;
  }
  .figures .balance {
    border-color: transparent;
    background: light-dark(var(--accent), color-mix(in oklab, var(--accent) 26%, var(--sheet)));
    color: light-dark(var(--on-accent), var(--ink));
  }
  .figures .balance :is(dt, .note, a) {
    color: inherit;
  }
  .figures .balance a:focus-visible {
    outline-color: currentColor;
  }
  .figures :is(dt, .note) {
    font-size: 0.875em;
    line-height: 1.4;
  }
  .figures .note a {
    display: inline-block;
    min-block-size: 24px;
    align-content: center;
  }
  .limits {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 165px), 1fr));
    gap: 20px;
    margin: 0;
  }
  .limits dt {
    font-weight: 600;
  }
  .limits dd {
    display: grid;
    gap: 4px;
    margin: 0;
    font-variant-numeric: tabular-nums;
  }
  .limits meter {
    inline-size: 100%;
  }
  .limits .muted {
    font-size: 0.9em;
  }
  .start ol {
    display: grid;
    gap: 10px;
    margin: 0;
    padding: 0;
    counter-reset: step;
    list-style: none;
  }
  .start li {
    display: flex;
    align-items: center;
    gap: 12px;
    counter-increment: step;
  }
  .start li a {
    min-block-size: 24px;
    align-content: center;
  }
  .start li::before {
    content: counter(step);
    display: grid;
    flex: none;
    place-items: center;
    inline-size: 28px;
    block-size: 28px;
    border-radius: 50%;
    background: color-mix(in oklab, var(--gold) 45%, var(--_surface));
    font-size: 0.9em;
    font-weight: 600;
  }
  .period {
    inline-size: auto;
  }
  @media (max-width: 500px) {
    .figures {
      grid-template-columns: 1fr 1fr;
      gap: 12px;
    }
    .figures :is(.balance, .card:last-child) {
      grid-column: 1 / -1;
    }
  }
`;
