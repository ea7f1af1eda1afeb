import { css } from 'lit';
import { feedback, fields } from '../../styles/index.ts';
import { barStyles } from './bar.styles.ts';
import { dialogStyles } from './dialogs.styles.ts';
import { outcomeStyles } from './outcome.styles.ts';

/** Styles of the card with images. */
const styles = css`
  .redo:dir(ltr) .icon,
  .undo:dir(rtl) .icon {
    scale: -1 1;
  }
  .more {
    inset-block-start: calc(var(--_pad) - var(--_space));
    inset-inline-end: max(0px, var(--_pad) - var(--_space));
    anchor-name: --more;
  }
  .more .icon {
    stroke-width: 3;
  }
  .menu {
    position-anchor: --more;
    position-area: self-block-end span-self-inline-start;
    position-try: flip-block;
    inset: auto;
    block-size: auto;
    margin: 0;
    padding: var(--_space);
    border: 1px solid var(--_border);
    border-radius: var(--_radius);
    background: var(--_surface);
    box-shadow: var(--_shadow);
  }
  .menu:popover-open {
    display: grid;
  }
  .menu .button {
    justify-content: start;
  }
  /* Beside the heading: at the end of the toolbar it would often wrap. */
  @container io (inline-size < 860px) {
    header {
      flex: 1 0 100%;
      padding-inline-end: var(--_control);
    }
    .more {
      position: absolute;
    }
  }
  .notices {
    display: grid;
    gap: var(--_s2);
  }
  .notice .button {
    margin-block: -6px;
  }
  .notice .ways {
    align-items: flex-start;
    row-gap: var(--_s4);
  }
  .notice .ways > div {
    flex: 1 1 22ch;
    min-inline-size: 0;
  }
  .small {
    overflow-wrap: anywhere;
    font-size: var(--_t12);
  }
  .files {
    display: grid;
    gap: 2px;
    margin-block-start: var(--_space);
    font-size: var(--_t13);
  }
  summary {
    inline-size: fit-content;
    cursor: pointer;
  }
  .ways {
    display: flex;
    flex-wrap: wrap;
    gap: var(--_s2);
  }
  .work {
    position: relative;
    display: grid;
    gap: var(--_s3);
    align-content: start;
    min-inline-size: 0;
  }
  .find,
  .finder,
  .selection {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--_s2);
  }
  .find {
    justify-content: space-between;
  }
  .finder {
    flex: 1 1 200px;
    max-inline-size: 420px;
    margin-inline-start: auto;
  }
  .finder .input {
    flex: 1 1 96px;
    inline-size: auto;
  }
  .selection {
    padding: var(--_s2) var(--_s3);
    border-radius: var(--_radius);
    background: var(--_tint);
  }
  .selection strong {
    margin-inline-end: auto;
  }
  .filter {
    display: flex;
    flex-wrap: wrap;
    gap: var(--_space);
    min-inline-size: 0;
    margin: 0;
    padding: 0;
    border: 0;
  }
  .filter label {
    position: relative;
    cursor: pointer;
  }
  .filter label > span {
    display: inline-flex;
    align-items: center;
    gap: 6px;
    min-block-size: var(--_control);
    padding: 2px var(--_s3);
    border: 1px solid transparent;
    border-radius: var(--_r1);
    color: var(--_muted);
    font-size: var(--_t13);
    font-weight: 500;
  }
  .filter label:hover > span {
    background: var(--_hover);
  }
  .filter input:checked + span {
    border-color: var(--_accent);
    background: var(--_surface);
    color: var(--_text);
  }
  .filter input:focus-visible + span {
    outline: 2px solid var(--_focus);
    outline-offset: 1px;
  }
  .skip:not(:focus) {
    position: absolute;
    clip-path: inset(50%);
  }
  .rows {
    border: 1px solid var(--_border);
    border-radius: var(--_radius);
    overflow: hidden;
  }
  @media (forced-colors: active) {
    .filter input:checked + span {
      outline: 2px solid Highlight;
    }
  }
`;

/** Styles the workbench adds to the public element. */
export const workbenchStyles = [fields, feedback, styles, barStyles, outcomeStyles, dialogStyles];
