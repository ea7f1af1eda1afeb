import { css } from 'lit';

/** Styles of the figures on top and of the first steps of a new account. */
export const overviewStyles = css`
  .figures {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 190px), 1fr));
    gap: 16px;
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
    font-size: var(--_t20);
    line-height: 1.4;
  }
  .skeleton {
    display: block;
    inline-size: 3.5em;
    max-inline-size: 100%;
    block-size: 0.9em;
    margin-block: 0.15em;
    border-radius: var(--_r1);
    background: var(--_surface-2);
  }
  .figures small {
    font-size: 0.6em;
    font-weight: 500;
    letter-spacing: 0;
  }
  .figures :is(dt, .note) {
    font-size: var(--_t13);
    line-height: 1.4;
  }
  .figures .note a {
    display: inline-block;
    min-block-size: 24px;
    margin-block: -3px;
    align-content: center;
  }
  .limits {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 165px), 1fr));
    gap: 16px;
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
  /* Drawn here, since WebKit's own is a bevelled grey bar. */
  .limits meter {
    appearance: none;
    inline-size: 100%;
    block-size: 8px;
    overflow: hidden;
    border-radius: 4px;
    background: var(--_border);
  }
  .limits meter::-webkit-meter-inner-element {
    display: block;
  }
  .limits meter::-webkit-meter-bar {
    block-size: 8px;
    border: 0;
    background: none;
  }
  .limits meter::-webkit-meter-optimum-value {
    background: var(--_success);
  }
  .limits meter::-webkit-meter-suboptimum-value {
    background: var(--_warning);
  }
  .limits meter::-moz-meter-bar {
    background: var(--_success);
  }
  .limits meter:-moz-meter-sub-optimum::-moz-meter-bar {
    background: var(--_warning);
  }
  .limits .muted {
    font-size: var(--_t13);
  }
  .start ol {
    display: grid;
    gap: 8px;
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
    background: var(--_surface-2);
    font-size: var(--_t13);
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
  }
`;
