import { css } from 'lit';

/** Styles of the window: a sidebar with the navigation, and the page beside it. */
export const appStyles = css`
  .app {
    min-block-size: 100vh;
    font-family: var(--_font);
    font-size: 0.875em;
    line-height: var(--_line);
    --_control: 36px;
    color: var(--ink);
    background: var(--paper);
    -webkit-font-smoothing: antialiased;
    overflow-wrap: break-word;
    accent-color: var(--_accent);
  }
  .layout {
    display: grid;
    grid-template-columns: 248px minmax(0, 1fr);
  }
  .brand {
    display: inline-flex;
    align-items: center;
    gap: 10px;
    color: var(--ink);
    font-size: var(--_t16);
    font-weight: 600;
    letter-spacing: -0.01em;
    text-decoration: none;
  }
  .mark {
    flex: none;
    inline-size: 30px;
    block-size: 30px;
    fill: none;
    stroke: var(--sheet);
    stroke-width: 2.4;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
  .mark rect {
    fill: var(--accent);
    stroke: none;
  }
  .mark circle {
    fill: var(--gold);
    stroke: none;
  }
  .side {
    position: sticky;
    inset-block-start: 0;
    display: flex;
    flex-direction: column;
    gap: 24px;
    block-size: 100vh;
    padding: 24px 16px 16px;
    border-inline-end: 1px solid var(--line);
    background: color-mix(in oklab, var(--paper-2) 45%, var(--paper));
    overflow-y: auto;
  }
  .head {
    display: flex;
    align-items: center;
    gap: 12px;
    padding-inline: 8px;
  }
  .head .balance,
  .head .menu {
    display: none;
  }
  .more {
    display: flex;
    flex: 1;
    flex-direction: column;
    justify-content: space-between;
    gap: 24px;
  }
  nav ul {
    display: grid;
    gap: 2px;
  }
  nav .caption {
    margin: 24px 12px 4px;
    color: var(--soft);
    font-size: var(--_t12);
    font-weight: 600;
  }
  nav a {
    display: flex;
    align-items: center;
    gap: 12px;
    min-block-size: var(--_control);
    padding: 4px 12px;
    border-radius: var(--_r1);
    color: var(--ink);
    text-decoration: none;
    --_icon: 19px;
  }
  nav a .icon {
    color: var(--soft);
  }
  nav a:hover {
    background: color-mix(in oklab, var(--ink) 6%, transparent);
  }
  nav a:not([aria-current='false']) {
    background: var(--sheet);
    font-weight: 600;
    box-shadow: 0 0 0 1px var(--line);
  }
  nav a:not([aria-current='false']) .icon {
    color: var(--accent);
  }
  .foot {
    display: grid;
    gap: 12px;
    padding-inline: 4px;
  }
  .who {
    display: grid;
    padding-inline: 8px;
    color: var(--soft);
    font-size: var(--_t12);
    line-height: 1.4;
    font-variant-numeric: tabular-nums;
  }
  .mail {
    color: var(--ink);
    font-weight: 500;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .choices {
    display: grid;
    gap: 8px;
  }
  .languages {
    background: var(--sheet);
    font-size: var(--_t13);
  }
  .themes {
    display: flex;
    margin: 0;
    padding: 3px;
    border: 0;
    border-radius: calc(var(--_r1) + 3px);
    background: color-mix(in oklab, var(--ink) 7%, transparent);
    font-size: var(--_t13);
  }
  .themes label {
    position: relative;
    flex: 1;
    cursor: pointer;
  }
  .themes input {
    position: absolute;
    inset: 0;
    margin: 0;
    opacity: 0;
    cursor: inherit;
  }
  .themes span {
    display: block;
    padding: 4px 8px;
    border-radius: var(--_r1);
    text-align: center;
  }
  .themes input:checked + span {
    background: var(--sheet);
    font-weight: 600;
    box-shadow: 0 0 0 1px var(--line);
  }
  .themes input:focus-visible + span {
    outline: 2px solid var(--accent);
    outline-offset: 1px;
  }
  main {
    display: grid;
    align-content: start;
    gap: 24px;
    inline-size: min(100%, 1080px);
    margin-inline: auto;
    padding: clamp(24px, 4vw, 44px) clamp(16px, 4vw, 44px) 72px;
  }
  h1 {
    margin: 0;
    font-size: var(--_t28);
    font-weight: 600;
    line-height: 1.2143;
    letter-spacing: -0.025em;
    text-wrap: balance;
  }
  h1:focus-visible {
    outline: none;
  }
  .skip {
    position: absolute;
    inset-block-start: 8px;
    inset-inline-start: 8px;
    z-index: 2;
  }
  .skip:not(:focus) {
    inline-size: 1px;
    min-inline-size: 1px;
    block-size: 1px;
    min-block-size: 1px;
    padding: 0;
    border: 0;
    overflow: hidden;
    clip-path: inset(50%);
  }
  .toast {
    position: fixed;
    inset-block-end: 20px;
    inset-inline: 16px;
    z-index: 3;
    display: flex;
    justify-content: center;
    pointer-events: none;
  }
  .toast p {
    max-inline-size: 60ch;
    padding: 12px 16px;
    border-radius: var(--_radius);
    background: var(--ink);
    color: var(--paper);
    font-weight: 500;
    box-shadow: 0 12px 32px -10px rgb(0 0 0 / 45%);
  }
  @media (pointer: coarse) {
    .app {
      --_control: 44px;
    }
  }
  @media (max-width: 860px) {
    .layout {
      grid-template-columns: minmax(0, 1fr);
    }
    .side {
      z-index: 2;
      gap: 0;
      block-size: auto;
      max-block-size: 100vh;
      padding: 10px clamp(12px, 3vw, 28px);
      border-inline-end: 0;
      border-block-end: 1px solid var(--line);
      background: var(--paper);
    }
    .head {
      padding-inline: 4px;
    }
    .head .brand {
      margin-inline-end: auto;
    }
    .head .balance {
      display: block;
      color: var(--soft);
      font-size: var(--_t13);
      white-space: nowrap;
      font-variant-numeric: tabular-nums;
    }
    .head .menu {
      display: inline-flex;
      min-block-size: 44px;
      inline-size: 44px;
    }
    .side:not([data-open]) .more {
      display: none;
    }
    .more {
      padding-block: 14px 10px;
    }
    nav a {
      min-block-size: 44px;
    }
  }
  @media (forced-colors: active) {
    nav a:not([aria-current='false']),
    .themes input:checked + span {
      outline: 2px solid Highlight;
    }
    .toast p {
      border: 1px solid CanvasText;
    }
  }
`;
