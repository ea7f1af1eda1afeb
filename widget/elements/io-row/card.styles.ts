import { css } from 'lit';

/** Styles of an image in the grid, and of the box that selects it there and in a row. */
export const cardStyles = css`
  /* A brief card has the height of the others, however long its text is. */
  .tile {
    contain: size;
    padding: var(--_s2);
  }
  .card {
    position: relative;
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    justify-items: start;
    gap: 2px;
    padding: var(--_s2);
  }
  .card .thumb {
    inline-size: 100%;
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
    inset-block-start: var(--_s3);
    inset-inline-start: var(--_s3);
  }
`;
