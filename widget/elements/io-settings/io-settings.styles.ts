import { css } from 'lit';

/** Styles of the form: segments for choices, switches for yes and no, rows for sizes. */
export const settingsStyles = css`
  :host {
    display: block;
    min-inline-size: 0;
  }
  .settings {
    container: settings / inline-size;
    display: grid;
    gap: var(--_s6);
  }
  fieldset {
    min-inline-size: 0;
    margin: 0;
    padding: 0;
    border: 0;
  }
  legend {
    padding: 0;
    margin-block-end: var(--_s2);
  }
  .pill {
    position: relative;
    display: grid;
    cursor: pointer;
  }
  .pill input {
    position: absolute;
    inset: 0;
    inline-size: 100%;
    block-size: 100%;
    margin: 0;
    opacity: 0;
    cursor: inherit;
  }
  .pill input + span {
    display: grid;
    place-items: center;
    min-block-size: var(--_control);
    padding: 4px var(--_s3);
    border: 1px solid transparent;
    border-radius: var(--_r1);
    font-weight: 500;
    line-height: 1.2;
  }
  .pill:hover input + span {
    border-color: var(--_muted);
  }
  .pill input:checked + span {
    border-color: var(--_accent);
    background: var(--_surface);
  }
  .pill input:focus-visible + span {
    outline: 2px solid var(--_focus);
    outline-offset: 2px;
  }
  fieldset:disabled .pill {
    cursor: default;
  }
  fieldset:disabled .pill input:not(:checked) + span {
    color: var(--_muted);
  }
  .choices > .hint {
    margin-block-start: var(--_s2);
  }
  .switch .label {
    font-size: 1em;
  }
  .switch + .hint {
    margin-inline-start: calc(38px + var(--_s3));
  }
  .pair {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 240px), 1fr));
    gap: var(--_s3) var(--_s6);
  }
  .sizes {
    margin-block-start: var(--_s3);
    margin-inline-start: calc(38px + var(--_s3));
  }
  .sizes ul {
    display: grid;
    gap: var(--_s2);
  }
  .sizes li {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--_space);
  }
  .sizes li .input:not(select) {
    inline-size: 8ch;
  }
  .fit .input {
    inline-size: auto;
  }
  .sizes .error {
    flex-basis: 100%;
  }
  .times {
    color: var(--_muted);
  }
  .size-tools {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--_space) var(--_s2);
    margin-block-start: var(--_s2);
    margin-inline-start: calc(var(--_space) * -2);
  }
  summary {
    padding-block: 6px;
    font-weight: 500;
    cursor: pointer;
  }
  .fields {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 220px), 1fr));
    gap: var(--_s4);
    padding-block-start: var(--_s3);
  }
  .wide {
    grid-column: 1 / -1;
  }
  @container settings (inline-size < 420px) {
    .sizes {
      margin-inline-start: 0;
    }
  }
  @media (forced-colors: active) {
    .pill input:checked + span {
      forced-color-adjust: none;
      border-color: Highlight;
      background: Highlight;
      color: HighlightText;
    }
  }
`;
