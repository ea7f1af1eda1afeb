import { css } from 'lit';

/** Styles of fields: a label above, help or error below. Switches and check boxes are native. */
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
    gap: 2px var(--_s2);
    font-size: var(--_t12);
    font-weight: 500;
    line-height: 1.35;
    color: var(--_text);
  }
  .input {
    display: block;
    inline-size: 100%;
    min-inline-size: 0;
    min-block-size: var(--_control);
    margin: 0;
    padding: 6px var(--_s2);
    border: 1px solid var(--_edge);
    border-radius: var(--_r1);
    background: var(--_surface);
    color: var(--_text);
    font: inherit;
    line-height: 1.4;
    text-overflow: ellipsis;
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
    background: conic-gradient(from -45deg at bottom, var(--_muted) 90deg, transparent 0) right 13px center / 10px 5px no-repeat
      var(--_surface);
    cursor: pointer;
  }
  select.input:dir(rtl) {
    background-position: left 13px center;
  }
  .hint,
  .error {
    font-size: var(--_t12);
    line-height: 1.4;
    color: var(--_muted);
  }
  .error {
    color: var(--_danger);
  }
  .check {
    display: inline-flex;
    align-items: center;
    gap: var(--_s2);
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
    gap: var(--_s3);
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
  }
  .switch input:checked {
    border-color: var(--_accent);
    background: var(--_accent);
  }
  .switch input:checked::before {
    inset-inline-start: 18px;
  }
  @media (forced-colors: active) {
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
