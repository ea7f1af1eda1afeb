import { css } from 'lit';

/** Styles of the dialog of links. */
export const linkStyles = css`
  :host {
    display: contents;
  }
  dialog {
    box-sizing: border-box;
    inline-size: min(560px, calc(100vw - 24px));
    max-block-size: calc(100vh - 24px);
    padding: 20px;
    border: 1px solid var(--_border);
    border-radius: var(--_radius);
    background: var(--_surface);
    color: var(--_text);
    box-shadow: var(--_shadow);
  }
  dialog::backdrop {
    background: rgb(10 14 20 / 45%);
  }
  .content {
    display: grid;
    gap: 14px;
  }
  h2 {
    font-size: var(--_t16);
    font-weight: 600;
  }
  .row {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    align-items: end;
  }
  .row > .field {
    flex: 1 1 160px;
  }
  .row > .wide {
    flex-basis: 100%;
  }
  .new {
    padding: 12px;
    border-radius: var(--_r1);
    background: var(--_tint);
  }
  .links {
    display: grid;
    gap: 8px;
  }
  .links li {
    display: flex;
    flex-wrap: wrap;
    gap: 4px 12px;
    align-items: center;
    justify-content: space-between;
  }
  .end {
    justify-content: end;
  }
`;

/** Styles of an answer beside its image. */
export const answerStyles = css`
  :host {
    display: block;
    max-inline-size: 26ch;
    font-size: var(--_t13);
    text-align: start;
  }
  p {
    margin-block-start: 2px;
    overflow-wrap: anywhere;
    white-space: pre-wrap;
  }
`;
