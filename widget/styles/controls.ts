import { css } from 'lit';

/** Buttons: quiet by default, one primary per view, danger in words as well as in colour. */
export const buttons = css`
  .button {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: calc(var(--_space) * 1.5);
    min-block-size: var(--_control);
    min-inline-size: var(--_control);
    margin: 0;
    padding: 4px calc(var(--_space) * 3);
    border: 1px solid var(--_edge);
    border-radius: calc(var(--_radius) * 0.8);
    background: var(--_surface);
    color: var(--_text);
    font: inherit;
    font-weight: 550;
    line-height: 1.25;
    text-align: center;
    text-decoration: none;
    cursor: pointer;
    transition:
      background-color 120ms ease-out,
      border-color 120ms ease-out,
      box-shadow 120ms ease-out;
  }
  .button:hover {
    background: color-mix(in oklab, var(--_text) 5%, var(--_surface));
  }
  .button:active {
    background: color-mix(in oklab, var(--_text) 10%, var(--_surface));
  }
  .button:disabled,
  .button[aria-disabled='true'] {
    border-color: var(--_border);
    color: color-mix(in oklab, var(--_muted) 75%, var(--_surface));
    background: var(--_surface);
    box-shadow: none;
    cursor: default;
  }
  .button.primary:not(:disabled, [aria-disabled='true']) {
    border-color: transparent;
    background: var(--_accent);
    color: var(--_on-accent);
    box-shadow: inset 0 1px 0 rgb(255 255 255 / 14%);
  }
  .button.primary:not(:disabled, [aria-disabled='true']):hover {
    background: color-mix(in oklab, var(--_accent) 88%, var(--_text));
  }
  .button.large {
    min-block-size: calc(var(--_control) + 8px);
    padding-inline: calc(var(--_space) * 5);
  }
  .button.quiet:not(:disabled, [aria-disabled='true']) {
    border-color: transparent;
    background: transparent;
  }
  .button.quiet {
    border-color: transparent;
    background: transparent;
    padding-inline: calc(var(--_space) * 2);
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
    background: var(--_tint);
    color: var(--_text);
  }
  .link {
    padding: 0;
    border: 0;
    background: none;
    color: var(--_accent);
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
    .button,
    .button.primary:not(:disabled, [aria-disabled='true']) {
      border-color: ButtonText;
    }
    .button:disabled,
    .button[aria-disabled='true'] {
      border-color: GrayText;
      color: GrayText;
    }
    .button[aria-pressed='true'] {
      border-color: Highlight;
      border-width: 2px;
    }
  }
`;

/** Fields: a label above, the field, a line of help or error below. Switches and check boxes are native ones. */
export const fields = css`
  .field {
    display: grid;
    gap: var(--_space);
    align-content: start;
    min-inline-size: 0;
  }
  .label {
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
    gap: 2px calc(var(--_space) * 2);
    font-size: 0.8667em;
    font-weight: 600;
    line-height: 1.35;
    color: var(--_text);
  }
  .input {
    display: block;
    inline-size: 100%;
    min-inline-size: 0;
    min-block-size: var(--_control);
    margin: 0;
    padding: 6px calc(var(--_space) * 2.5);
    border: 1px solid var(--_edge);
    border-radius: calc(var(--_radius) * 0.7);
    background: var(--_surface);
    color: var(--_text);
    font: inherit;
    line-height: 1.4;
    transition: border-color 120ms ease-out;
  }
  .input:hover:not(:disabled) {
    border-color: var(--_muted);
  }
  .input:focus-visible {
    border-color: var(--_focus);
    outline-offset: 0;
  }
  .input::placeholder {
    color: var(--_muted);
    opacity: 1;
  }
  .input:disabled,
  .input:read-only:not(select) {
    border-color: var(--_border);
    background: var(--_surface-2);
    color: var(--_muted);
  }
  .input[aria-invalid='true'] {
    border-color: var(--_danger);
  }
  textarea.input {
    resize: vertical;
    min-block-size: calc(2.8em + 14px);
    field-sizing: content;
    max-block-size: 9em;
  }
  select.input {
    appearance: none;
    padding-inline-end: 34px;
    background-image:
      linear-gradient(45deg, transparent 50%, var(--_muted) 50%), linear-gradient(-45deg, transparent 50%, var(--_muted) 50%);
    background-size: 5px 5px;
    background-repeat: no-repeat;
    background-position:
      right 18px center,
      right 13px center;
    cursor: pointer;
  }
  select.input:dir(rtl) {
    background-position:
      left 13px center,
      left 18px center;
  }
  .hint,
  .error {
    font-size: 0.8667em;
    line-height: 1.4;
    color: var(--_muted);
  }
  .error {
    color: var(--_danger);
  }
  .check {
    display: inline-flex;
    align-items: center;
    gap: calc(var(--_space) * 2);
    min-block-size: 28px;
    cursor: pointer;
  }
  .check input {
    flex: none;
    inline-size: 18px;
    block-size: 18px;
    margin: 0;
    cursor: inherit;
  }
  .check input:disabled {
    cursor: default;
  }
  .switch {
    display: inline-flex;
    align-items: center;
    gap: calc(var(--_space) * 2.5);
    min-block-size: 32px;
    cursor: pointer;
  }
  .switch input {
    appearance: none;
    flex: none;
    position: relative;
    inline-size: 38px;
    block-size: 22px;
    margin: 0;
    border: 1px solid var(--_edge);
    border-radius: 11px;
    background: var(--_edge);
    cursor: inherit;
    transition: background-color 140ms ease-out;
  }
  .switch input::before {
    content: '';
    position: absolute;
    inset-block-start: 2px;
    inset-inline-start: 2px;
    inline-size: 16px;
    block-size: 16px;
    border-radius: 50%;
    background: var(--_surface);
    transition: inset-inline-start 140ms ease-out;
  }
  .switch input:checked {
    border-color: var(--_accent);
    background: var(--_accent);
  }
  .switch input:checked::before {
    inset-inline-start: 18px;
  }
  @media (forced-colors: active) {
    .input {
      border-color: ButtonText;
    }
    select.input {
      appearance: auto;
      background-image: none;
    }
    .switch input {
      appearance: auto;
      inline-size: 18px;
      block-size: 18px;
    }
    .switch input::before {
      display: none;
    }
  }
`;

/** What tells the state of things: badges, progress, notices. Each says it in words; colour only helps. */
export const feedback = css`
  .badge {
    display: inline-flex;
    align-items: center;
    gap: 4px;
    padding: 1px 7px;
    border-radius: 99px;
    background: color-mix(in oklab, var(--_badge, var(--_muted)) 12%, var(--_surface));
    color: color-mix(in oklab, var(--_badge, var(--_muted)) 85%, var(--_text));
    font-size: 0.8em;
    font-weight: 550;
    line-height: 1.5;
    --_icon: 14px;
  }
  .badge.accent {
    --_badge: var(--_accent);
  }
  .badge.success {
    --_badge: var(--_success);
  }
  .badge.warning {
    --_badge: var(--_warning);
  }
  .badge.danger {
    --_badge: var(--_danger);
  }
  progress {
    appearance: none;
    display: block;
    inline-size: 100%;
    block-size: 6px;
    border: 0;
    border-radius: 3px;
    overflow: hidden;
    background: color-mix(in oklab, var(--_text) 11%, transparent);
    color: var(--_accent);
  }
  progress::-webkit-progress-bar {
    background: transparent;
  }
  progress::-webkit-progress-value {
    border-radius: 3px;
    background: var(--_accent);
    transition: inline-size 200ms ease-out;
  }
  progress::-moz-progress-bar {
    border-radius: 3px;
    background: var(--_accent);
  }
  .notice {
    display: flex;
    flex-wrap: wrap;
    align-items: flex-start;
    gap: calc(var(--_space) * 2) calc(var(--_space) * 3);
    padding: calc(var(--_space) * 3) calc(var(--_space) * 4);
    border: 1px solid color-mix(in oklab, var(--_notice, var(--_accent)) 30%, var(--_border));
    border-radius: var(--_radius);
    background: color-mix(in oklab, var(--_notice, var(--_accent)) 7%, var(--_surface));
    color: var(--_text);
  }
  .notice > .icon {
    margin-block-start: 1px;
    color: var(--_notice, var(--_accent));
  }
  .notice > .content {
    flex: 1 1 24ch;
    min-inline-size: 0;
  }
  .notice strong {
    font-weight: 600;
  }
  .notice.danger {
    --_notice: var(--_danger);
  }
  .notice.warning {
    --_notice: var(--_warning);
  }
  .notice.success {
    --_notice: var(--_success);
  }
  .muted {
    color: var(--_muted);
  }
  .numbers {
    font-variant-numeric: tabular-nums;
  }
  @media (forced-colors: active) {
    .badge,
    .notice,
    progress {
      border: 1px solid CanvasText;
    }
    progress::-webkit-progress-value {
      background: Highlight;
    }
  }
`;

/** Everything above, for elements that need it all. */
export const controls = [buttons, fields, feedback];
