import { css } from 'lit';

/** Styles of the parts of pages: cards, rows, tables, figures. */
export const pageStyles = css`
  .notice.success {
    --_notice: var(--_success);
  }
  :host {
    display: grid;
    gap: 16px;
    min-inline-size: 0;
  }
  [role='alert']:empty {
    display: none;
  }
  .lead {
    max-inline-size: 62ch;
    margin-block-start: -16px;
    color: var(--_muted);
    text-wrap: pretty;
  }
  .card {
    display: grid;
    align-content: start;
    gap: 16px;
    min-inline-size: 0;
    padding: clamp(16px, 2.6vw, 24px);
    border: 1px solid var(--_border);
    border-radius: var(--_radius);
    background: var(--_surface);
    box-shadow:
      0 1px 2px rgb(20 18 10 / 4%),
      0 18px 44px -34px rgb(20 18 10 / 30%);
  }
  .card.danger {
    border-color: color-mix(in oklab, var(--_danger) 35%, var(--_border));
  }
  .card > p {
    max-inline-size: 68ch;
  }
  h2 {
    font-size: var(--_t16);
    font-weight: 600;
    line-height: 1.5;
    letter-spacing: -0.01em;
  }
  h3,
  strong {
    font-weight: 600;
  }
  a {
    color: var(--_accent);
    text-underline-offset: 3px;
  }
  .bar {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 8px 16px;
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px;
  }
  .filter {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(min(100%, 140px), 1fr));
    align-items: end;
    gap: 12px;
  }
  @media (max-width: 500px) {
    .filter .field:first-child:nth-last-child(odd) {
      grid-column: 1 / -1;
    }
  }
  .filter .input {
    block-size: var(--_control);
    padding-block: 0;
  }
  .columns {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 300px), 1fr));
    gap: 16px;
    align-items: stretch;
  }
  .rows {
    display: grid;
    margin-block: -6px;
  }
  .rows > li {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 8px 16px;
    padding-block: 12px;
  }
  .rows > li + li {
    border-block-start: 1px solid var(--_border);
  }
  .what {
    display: grid;
    flex: 1 1 240px;
    gap: 2px;
    min-inline-size: 0;
  }
  .title {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 8px;
    font-weight: 600;
    overflow-wrap: anywhere;
  }
  .details {
    display: flex;
    flex-wrap: wrap;
    gap: 4px 16px;
    color: var(--_muted);
    font-size: var(--_t13);
  }
  code,
  .code {
    font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace;
    font-size: var(--_t13);
  }
  pre {
    margin: 0;
    padding: 12px 16px;
    border: 1px solid var(--_border);
    border-radius: var(--_radius);
    background: var(--_surface-2);
    overflow-x: auto;
    line-height: 1.6;
    tab-size: 2;
  }
  /* A word about a thing that is no state. */
  .badge:not(.ring, .success, .warning, .danger) {
    padding-inline: 8px;
    border: 1px solid var(--_border);
    border-radius: 99px;
    color: var(--_muted);
  }
  h2 .badge {
    font-size: 0.8125em;
  }
  .badge.accent {
    --_badge: var(--_accent);
  }
  .empty {
    padding-block: 16px;
    color: var(--_muted);
    text-align: center;
  }
  .figure {
    display: grid;
    align-content: start;
    gap: 2px;
  }
  .figure dt {
    color: var(--_muted);
    font-size: var(--_t13);
  }
  .figure dd {
    font-size: var(--_t28);
    font-weight: 600;
    line-height: 1.2143;
    letter-spacing: -0.02em;
    font-variant-numeric: tabular-nums;
  }
  .figure .note {
    color: var(--_muted);
    font-size: var(--_t13);
    font-weight: 400;
    letter-spacing: 0;
  }
  @media (forced-colors: active) {
    .card {
      border-color: CanvasText;
    }
  }
`;

/** Styles of forms: one column, as wide as the input needs. */
export const formStyles = css`
  :host {
    display: block;
  }
  .form {
    display: grid;
    gap: 16px;
    max-inline-size: 420px;
  }
  .form.wide {
    max-inline-size: none;
  }
  .form [role='alert']:empty {
    display: none;
  }
  .password {
    position: relative;
  }
  .password .input {
    padding-inline-end: 46px;
  }
  .password .button {
    position: absolute;
    inset-block: 0;
    inset-inline-end: 0;
    inline-size: 44px;
    padding: 0;
    color: var(--_muted);
    --_icon: 20px;
  }
  .password .button[aria-pressed='true'] {
    color: var(--_accent);
  }
  .button {
    padding-inline: 16px;
  }
  /* Telephones enlarge a page whose field has smaller text. */
  @media (pointer: coarse) {
    .input {
      font-size: var(--_t16);
    }
  }
`;
