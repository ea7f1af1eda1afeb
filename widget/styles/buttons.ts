import { css } from 'lit';

/**
 * Styles of buttons: quiet by default, one primary per view. Danger has a text as well as a colour. Targets are at least 24 pixels
 * with any font.
 */
export const buttons = css`
  .button {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: var(--_s2);
    min-block-size: var(--_control);
    min-inline-size: var(--_control);
    margin: 0;
    padding: 4px var(--_s3);
    border: 1px solid var(--_border);
    border-radius: var(--_r1);
    background: var(--_surface);
    color: var(--_text);
    font: inherit;
    font-weight: 500;
    line-height: 1.25;
    text-align: center;
    text-decoration: none;
    cursor: pointer;
  }
  .button[aria-busy='true'] {
    opacity: 0.6;
    cursor: progress;
  }
  .button:hover {
    background: color-mix(in oklab, var(--_text) 5%, var(--_surface));
  }
  .button:active {
    background: color-mix(in oklab, var(--_text) 10%, var(--_surface));
  }
  .button:disabled,
  .button[aria-disabled='true'] {
    color: color-mix(in oklab, var(--_muted) 75%, var(--_surface));
    background: var(--_surface);
    cursor: default;
  }
  .button.primary:not(:disabled, [aria-disabled='true']) {
    border-color: transparent;
    background: var(--_accent);
    color: var(--_on-accent);
  }
  .button.primary:not(:disabled, [aria-disabled='true']):hover {
    background: color-mix(in oklab, var(--_accent) 88%, var(--_text));
  }
  .button.large {
    min-block-size: calc(var(--_control) + 8px);
    padding-inline: var(--_s5);
  }
  .button.quiet {
    border-color: transparent;
    background: transparent;
    padding-inline: var(--_s2);
  }
  .button.quiet:hover:not(:disabled, [aria-disabled='true']) {
    background: var(--_hover);
  }
  .button.danger {
    color: var(--_danger);
  }
  .button.danger.solid:not(:disabled) {
    border-color: transparent;
    background: var(--_danger);
    color: var(--_surface);
  }
  .button.icon-only {
    padding: 0;
    inline-size: var(--_control);
  }
  .button[aria-pressed='true'] {
    border-color: var(--_accent);
    color: var(--_text);
  }
  /* Choices beside each other, of which a ring marks one. */
  .segments {
    display: inline-flex;
    flex-wrap: wrap;
    gap: 2px;
    padding: 2px;
    border-radius: calc(var(--_r1) + 2px);
    background: var(--_hover);
  }
  .segments .button:not([aria-pressed='true']) {
    border-color: transparent;
    background: none;
  }
  .link,
  summary {
    min-block-size: 24px;
    min-inline-size: 24px;
  }
  .link {
    padding: 0;
    border: 0;
    background: none;
    color: inherit;
    font: inherit;
    text-decoration: underline;
    text-underline-offset: 2px;
    cursor: pointer;
  }
  .icon {
    flex: none;
    inline-size: var(--_icon, 20px);
    block-size: var(--_icon, 20px);
    fill: none;
    stroke: currentColor;
    stroke-width: 1.5;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
  @media (forced-colors: active) {
    .button[aria-disabled='true'] {
      color: GrayText;
    }
    .button[aria-pressed='true'] {
      border-color: Highlight;
      border-width: 2px;
    }
  }
`;
