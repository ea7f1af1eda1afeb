import { css } from 'lit';

/** Styles of the fields of an image, in rows and in the review. */
export const fieldPartStyles = css`
  .name {
    font-weight: 600;
    line-height: 1.35;
    overflow-wrap: anywhere;
  }
  .fields {
    display: grid;
    gap: var(--_s3) var(--_s4);
  }
  .check {
    font-size: var(--_t13);
  }
  .below {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 0 var(--_s3);
  }
  .hint.long {
    color: var(--_warning);
  }
`;

/** Styles of a row: one line of 72 pixels from 760 px on; below, the texts are a second line. */
export const rowStyles = css`
  :host {
    display: block;
  }
  .row {
    position: relative;
    display: grid;
    grid-template: 'lead body actions' auto 'about about about' auto / auto minmax(0, 1fr) auto;
    gap: var(--_space) var(--_s3);
    align-items: center;
    min-block-size: var(--_row-min);
    padding: var(--_s2) var(--_s3);
    font-size: var(--_t13);
    line-height: 1.3;
  }
  .brief {
    padding: var(--_s2) var(--_s3);
    padding-inline-start: calc(var(--_thumb) + var(--_space) * 6);
  }
  .opens {
    cursor: zoom-in;
  }
  .lead {
    grid-area: lead;
    display: flex;
    align-items: center;
    gap: var(--_s2);
  }
  .thumb {
    display: grid;
    place-items: center;
    overflow: hidden;
    inline-size: var(--_thumb);
    aspect-ratio: 1;
    border-radius: var(--_r1);
    background: var(--_surface-2);
    box-shadow: inset 0 0 0 1px var(--_border);
    color: var(--_muted);
    --_icon: 24px;
  }
  canvas {
    inline-size: 100%;
    aspect-ratio: 1;
    object-fit: cover;
  }
  .body {
    grid-area: body;
    min-inline-size: 0;
  }
  .about {
    grid-area: about;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 2px var(--_s2);
    min-inline-size: 0;
  }
  .row .name {
    flex: 1 1 0;
    min-inline-size: 8ch;
    font-weight: 500;
  }
  .facts,
  .saving,
  .review {
    flex: 1 0 100%;
    min-inline-size: 0;
    color: var(--_muted);
  }
  .review {
    display: flex;
    align-items: flex-start;
    gap: var(--_s2);
    color: color-mix(in oklab, var(--_warning) 85%, var(--_text));
    --_icon: 18px;
  }
  .review > span {
    flex: 1;
    min-inline-size: 0;
  }
  .review .button {
    min-block-size: 24px;
    padding-block: 0;
    color: var(--_text);
    text-decoration: underline;
  }
  .row:not(.open) :is(.review ~ .saving, .review ~ .facts, .saving ~ .facts) {
    display: none;
  }
  .low {
    grid-template-areas: 'lead body actions' 'lead about actions';
  }
  .low :is(.filename, .title, .below, .review, .facts, .actions > :not(.more)) {
    display: none;
  }
  .low .name {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .good {
    color: var(--_success);
    font-weight: 600;
  }
  .worse {
    color: var(--_warning);
  }
  .actions {
    grid-area: actions;
    display: flex;
    flex-direction: column;
    align-items: center;
    --_control: 30px;
  }
  .actions .button.quiet {
    color: var(--_muted);
  }
  .actions .button.quiet:hover {
    color: var(--_text);
  }
  .actions [data-control='remove']:hover {
    color: var(--_danger);
  }
  .open .more .icon {
    rotate: 180deg;
  }
  /* Fields look like text until they are pointed at. Their names are their placeholders. */
  .fields {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0 var(--_s2);
  }
  .fields .field {
    position: relative;
    flex: 1 1 16ch;
  }
  .fields .alt {
    flex-basis: 100%;
  }
  .fields .input {
    min-block-size: 24px;
    padding: 2px var(--_s2);
    border-color: transparent transparent var(--_border);
    background: transparent;
    line-height: 1.25;
    resize: none;
  }
  .fields .input:hover,
  .fields .input:focus-visible {
    border-color: var(--_edge);
    background: var(--_surface);
  }
  .row:not(.open) textarea {
    max-block-size: calc(2.5em + 6px);
  }
  /* A text that goes on below fades out: its place in the scroll range is that of the animation. */
  textarea:not(:focus) {
    animation: fade;
    animation-timeline: scroll(self);
  }
  @keyframes fade {
    from {
      mask: linear-gradient(#000 50%, #0003);
    }
  }
  .alt :enabled::placeholder {
    color: var(--_warning);
  }
  .filename .input,
  .title .input {
    color: var(--_muted);
    font-size: var(--_t13);
  }
  .below {
    flex: 2 1 24ch;
    justify-content: flex-start;
    min-block-size: 24px;
  }
  .check {
    min-block-size: 24px;
  }
  .check,
  .hint,
  .error {
    font-size: var(--_t13);
  }
  .check input {
    inline-size: 16px;
    block-size: 16px;
  }
  @media (hover: hover) {
    .row:not(:focus-within, :hover, .open) :is(.hint:not(.long), .copy) {
      opacity: 0;
    }
  }
  /* Along the upper edge, so that it causes no layout shift. */
  progress {
    position: absolute;
    inset-block-start: 0;
    inset-inline: 0;
    block-size: 3px;
    border-radius: 0;
  }
  .failure {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--_s2);
    margin-block-end: 2px;
    color: var(--_danger);
    --_icon: 18px;
  }
  .failure .error {
    flex: 1 1 20ch;
    min-inline-size: 0;
    font-size: 1em;
  }
  .failure .button {
    min-block-size: 28px;
    padding-block: 2px;
  }
  .result {
    grid-column: 1 / -1;
  }
  .row:not(.open) :is(.produced, .files, .result:not(:has(.wide))) {
    display: none;
  }
  .files {
    display: flex;
    flex-wrap: wrap;
    gap: 0 var(--_s2);
    --_icon: 16px;
  }
  /* Where it would need a line of its own, the number of characters is told in open rows. */
  @container io (inline-size < 760px) {
    .row:not(.open) .below .hint:not(.long) {
      display: none;
    }
  }
  @container io (inline-size >= 760px) {
    .actions {
      flex-direction: row;
    }
    .row {
      grid-template: 'lead body about actions' auto / auto minmax(0, 9fr) minmax(0, 4fr) auto;
    }
    .row:not(.open) :is(.name, .facts, .saving, .review > span) {
      overflow: hidden;
      text-overflow: ellipsis;
      white-space: nowrap;
    }
    .fields .below {
      flex: 0 1 30ch;
    }
    .row:not(.open) .below {
      flex-wrap: nowrap;
      white-space: nowrap;
      overflow: clip;
      overflow-clip-margin: 4px;
    }
  }
`;
