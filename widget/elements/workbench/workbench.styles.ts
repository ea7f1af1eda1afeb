import { css } from 'lit';
import { feedback, fields } from '../../styles/index.ts';
import { barStyles } from './bar.styles.ts';
import { dialogStyles } from './dialogs.styles.ts';
import { outcomeStyles } from './outcome.styles.ts';

/** Styles of the card with images. From 1,080 px on, the settings are beside the rows. */
const styles = css`
  .pair {
    display: inline-flex;
  }
  .redo .icon {
    scale: -1 1;
  }
  .undo:dir(rtl) .icon {
    scale: -1 1;
  }
  .redo:dir(rtl) .icon {
    scale: 1 1;
  }
  .clear {
    inset-block-start: calc(var(--_space) * 3);
    inset-inline-end: calc(var(--_space) * 2);
    margin-inline-start: auto;
  }
  /* Beside the heading: at the end of the toolbar it would often wrap. */
  @container io (inline-size < 860px) {
    header {
      padding-inline-end: var(--_control);
    }
    .clear {
      position: absolute;
    }
    .clear span {
      position: absolute;
      inline-size: 1px;
      block-size: 1px;
      overflow: hidden;
      clip-path: inset(50%);
    }
  }
  .clear:not(:hover) {
    color: var(--_muted);
  }
  .clear:hover {
    color: var(--_danger);
  }
  .notices {
    display: grid;
    gap: calc(var(--_space) * 2);
  }
  .notice .button {
    margin-block: -6px;
  }
  .notice .ways {
    align-items: flex-start;
    row-gap: calc(var(--_space) * 4);
  }
  .notice .ways > div {
    flex: 1 1 22ch;
    min-inline-size: 0;
  }
  .small {
    overflow-wrap: anywhere;
    font-size: 0.8667em;
  }
  .files {
    display: grid;
    gap: 2px;
    margin-block-start: var(--_space);
    font-size: 0.9333em;
  }
  summary {
    inline-size: fit-content;
    cursor: pointer;
  }
  .ways {
    display: flex;
    flex-wrap: wrap;
    gap: calc(var(--_space) * 2);
  }
  .columns {
    display: grid;
    gap: calc(var(--_space) * 4);
  }
  .work {
    position: relative;
    display: grid;
    gap: calc(var(--_space) * 2.5);
    align-content: start;
    min-inline-size: 0;
  }
  .find,
  .finder,
  .selection {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: calc(var(--_space) * 2);
  }
  .find {
    justify-content: space-between;
  }
  .finder {
    flex: 0 1 420px;
  }
  .finder .input {
    flex: 1 1 160px;
    inline-size: auto;
  }
  .selection {
    padding: calc(var(--_space) * 2) calc(var(--_space) * 3);
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
    min-block-size: 32px;
    padding: 2px calc(var(--_space) * 3);
    border-radius: 99px;
    color: var(--_muted);
    font-size: 0.9333em;
    font-weight: 500;
  }
  .filter label:hover > span {
    background: var(--_hover);
  }
  .filter input:checked + span {
    background: color-mix(in oklab, var(--_accent) 13%, var(--_surface));
    color: var(--_text);
  }
  .filter input:focus-visible + span {
    outline: 2px solid var(--_focus);
    outline-offset: 1px;
  }
  .filter bdi {
    opacity: 0.8;
  }
  .skip:not(:focus) {
    position: absolute;
    inline-size: 1px;
    min-inline-size: 0;
    block-size: 1px;
    min-block-size: 0;
    padding: 0;
    border: 0;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  .rows {
    border: 1px solid var(--_border);
    border-radius: calc(var(--_radius) * 1.2);
    overflow: hidden;
  }
  .panel {
    min-inline-size: 0;
    border: 1px solid var(--_border);
    border-radius: calc(var(--_radius) * 1.2);
  }
  .panel .content {
    padding: 0 calc(var(--_space) * 4) calc(var(--_space) * 4);
  }
  .panel.closed .content {
    display: none;
  }
  .plain {
    display: none;
  }
  .fold {
    display: flex;
    align-items: center;
    gap: calc(var(--_space) * 2.5);
    inline-size: 100%;
    min-block-size: 52px;
    margin: 0;
    padding: calc(var(--_space) * 2) calc(var(--_space) * 4);
    border: 0;
    border-radius: inherit;
    background: none;
    color: inherit;
    font: inherit;
    text-align: start;
    cursor: pointer;
  }
  .fold:focus-visible {
    outline-offset: -2px;
  }
  .fold > span {
    flex: 1;
  }
  .fold .muted {
    margin-inline-start: 0.4em;
    font-weight: 400;
  }
  .fold .icon:last-child {
    transition: rotate 160ms ease-out;
  }
  .fold[aria-expanded='true'] .icon:last-child {
    rotate: 180deg;
  }
  @container io (inline-size >= 560px) {
    .clear {
      inset-block-start: calc(var(--_space) * 5);
      inset-inline-end: calc(var(--_space) * 4);
    }
  }
  @container io (inline-size >= 1080px) {
    .columns {
      grid-template-columns: minmax(0, 1fr) 320px;
      align-items: start;
      gap: calc(var(--_space) * 5);
    }
    .panel .content,
    .panel.closed .content {
      display: block;
    }
    .panel h3 {
      padding: calc(var(--_space) * 4) calc(var(--_space) * 4) calc(var(--_space) * 3);
    }
    .plain {
      display: block;
    }
    .fold {
      display: none;
    }
  }
  @media (forced-colors: active) {
    .filter input:checked + span {
      outline: 2px solid Highlight;
    }
  }
`;

/** Styles the workbench adds to the public element. */
export const workbenchStyles = [fields, feedback, styles, barStyles, outcomeStyles, dialogStyles];
