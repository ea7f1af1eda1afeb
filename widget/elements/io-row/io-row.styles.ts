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
    gap: calc(var(--_space) * 2.5) calc(var(--_space) * 4);
  }
  /* Does not raise the line, so that the fields below it do not move under a click. */
  .origin {
    margin-block: -4px;
    padding-inline: 6px;
    font-size: 0.92em;
  }
  .check {
    font-size: 0.9333em;
  }
  .below {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 0 calc(var(--_space) * 3);
  }
  .hint.long {
    color: var(--_warning);
  }
`;

/** Styles of a row: one column on phones; from 560 px on a column for the thumbnail, from 760 px on two for the texts. */
export const rowStyles = css`
  :host {
    display: block;
  }
  .row {
    position: relative;
    display: grid;
    grid-template: 'thumb head actions' auto / 56px minmax(0, 1fr) auto;
    gap: calc(var(--_space) * 2) calc(var(--_space) * 3);
    align-items: start;
    padding: calc(var(--_space) * 4);
  }
  .brief {
    padding: calc(var(--_space) * 4);
  }
  /* A brief card has the height of the others, however long its text is. */
  .tile {
    contain: size;
    padding: calc(var(--_space) * 2);
  }
  .opens {
    cursor: zoom-in;
  }
  .thumb {
    grid-area: thumb;
    display: grid;
    place-items: center;
    overflow: hidden;
    inline-size: 100%;
    aspect-ratio: 1;
    border-radius: calc(var(--_radius) * 0.8);
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
  .head {
    grid-area: head;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px calc(var(--_space) * 3);
    min-block-size: 32px;
  }
  .caption {
    flex: 1 1 18ch;
    min-inline-size: 0;
  }
  .select + .caption {
    flex-basis: 10ch;
  }
  .facts {
    font-size: 0.8667em;
    color: var(--_muted);
  }
  .actions {
    grid-area: actions;
    display: flex;
    align-items: center;
    gap: 2px;
  }
  .actions .button {
    color: var(--_muted);
  }
  .actions .button:hover {
    color: var(--_text);
  }
  .actions [data-control='remove']:hover {
    color: var(--_danger);
  }
  /* Along the upper edge, so that it causes no layout shift. */
  progress {
    position: absolute;
    inset-block-start: 0;
    inset-inline: 0;
    block-size: 3px;
    border-radius: 0;
  }
  .body {
    grid-column: 1 / -1;
    display: grid;
    gap: calc(var(--_space) * 3);
    min-inline-size: 0;
  }
  .review {
    display: flex;
    align-items: baseline;
    gap: calc(var(--_space) * 2);
    color: color-mix(in oklab, var(--_warning) 85%, var(--_text));
    font-size: 0.9333em;
    --_icon: 18px;
  }
  .review .icon {
    translate: 0 4px;
  }
  .review .button {
    min-block-size: 28px;
    padding-block: 2px;
    color: var(--_text);
    text-decoration: underline;
    text-decoration-color: var(--_edge);
    text-underline-offset: 3px;
  }
  .failure {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: calc(var(--_space) * 2);
    color: var(--_danger);
    --_icon: 18px;
  }
  .failure .error {
    flex: 1 1 20ch;
    min-inline-size: 0;
    font-size: 0.9333em;
  }
  .result {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: calc(var(--_space) * 2) calc(var(--_space) * 4);
    padding-block-start: calc(var(--_space) * 3);
    border-block-start: 1px solid var(--_border);
  }
  .saving {
    flex: 1 1 24ch;
    display: flex;
    flex-wrap: wrap;
    gap: 0 calc(var(--_space) * 3);
    min-inline-size: 0;
  }
  .saving strong {
    font-weight: 500;
  }
  .good {
    color: var(--_success);
    font-weight: 600;
  }
  .worse {
    color: var(--_warning);
  }
  .produced {
    overflow-wrap: anywhere;
  }
  .ways {
    display: flex;
    flex-wrap: wrap;
    gap: calc(var(--_space) * 2);
  }
  .wide {
    flex: 1 0 100%;
  }
  summary {
    min-block-size: 28px;
    inline-size: fit-content;
    color: var(--_muted);
    font-size: 0.9333em;
    cursor: pointer;
  }
  .variants {
    display: flex;
    flex-wrap: wrap;
    gap: var(--_space) calc(var(--_space) * 2);
  }
  .variants .button {
    font-weight: 400;
    --_icon: 16px;
  }
  .card {
    position: relative;
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    justify-items: start;
    gap: 2px;
    padding: calc(var(--_space) * 2);
  }
  .card .thumb {
    grid-area: auto;
    padding: 0;
    border: 0;
    font: inherit;
  }
  .card .name,
  .excerpt {
    inline-size: 100%;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .excerpt.long {
    color: var(--_warning);
  }
  .select {
    display: grid;
    place-items: center;
    inline-size: 28px;
    block-size: 28px;
    border-radius: 6px;
    background: var(--_surface);
    cursor: pointer;
  }
  .select input {
    inline-size: 18px;
    block-size: 18px;
    margin: 0;
  }
  .card .select {
    position: absolute;
    inset-block-start: calc(var(--_space) * 3);
    inset-inline-start: calc(var(--_space) * 3);
  }
  @container io (inline-size < 400px) {
    .row {
      column-gap: calc(var(--_space) * 2);
      padding: calc(var(--_space) * 3);
    }
    .actions {
      flex-direction: column;
    }
  }
  @container io (inline-size >= 560px) {
    .row {
      grid-template:
        'thumb head actions' auto
        'thumb body body' 1fr / var(--_thumb) minmax(0, 1fr) auto;
      gap: calc(var(--_space) * 3) calc(var(--_space) * 5);
      padding: calc(var(--_space) * 5);
    }
    .brief {
      padding: calc(var(--_space) * 5);
      padding-inline-start: calc(var(--_thumb) + var(--_space) * 10);
    }
    .body {
      grid-area: body;
    }
  }
  @container io (inline-size >= 760px) {
    .fields {
      grid-template: 'filename alt' auto 'title alt' auto 'title below' auto / minmax(0, 5fr) minmax(0, 6fr);
      row-gap: calc(var(--_space) * 2);
    }
    .filename {
      grid-area: filename;
    }
    .field.title {
      grid-area: title;
    }
    .alt {
      grid-area: alt;
      grid-template-rows: auto 1fr;
    }
    .below {
      grid-area: below;
      align-self: start;
    }
  }
`;
