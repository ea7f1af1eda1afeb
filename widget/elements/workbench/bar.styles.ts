import { css } from 'lit';

/** Styles of the bar with the price and what runs, which stays in sight at the end of the card. */
export const barStyles = css`
  .bar {
    position: sticky;
    inset-block-end: 0;
    z-index: 2;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--_s2) var(--_s5);
    margin: 0 calc(-1 * var(--_pad)) calc(-1 * var(--_pad));
    padding: var(--_s2) var(--_pad);
    border-block-start: 1px solid var(--_border);
    border-end-start-radius: var(--_r3);
    border-end-end-radius: var(--_r3);
    background: var(--_surface);
  }
  .price {
    flex: 1 1 240px;
    min-inline-size: 0;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0 var(--_s5);
    font-size: var(--_t13);
    line-height: 1.4;
  }
  /* The number of images to review, which the filter tells too. */
  [data-count]::after {
    content: attr(data-count) / '';
    font-variant-numeric: tabular-nums;
  }
  .running {
    flex: 1;
    display: grid;
    gap: var(--_s2);
  }
  /* The bytes go to the next line as a whole. */
  .running bdi {
    display: inline-block;
  }
  .bar .ways {
    flex: 0 1 auto;
  }
  /* On low screens or with large text, a sticky bar would cover most of the page. */
  @media (max-height: 560px) {
    .bar {
      position: static;
    }
  }
  @container io (inline-size < 560px) {
    .price > * {
      flex-basis: 100%;
    }
    .bar .ways {
      flex: 1 0 100%;
      display: grid;
      grid-template-columns: repeat(auto-fit, minmax(min(120px, 100%), 1fr));
    }
    .bar .button {
      padding-inline: var(--_s2);
    }
    /* A label that becomes longer moves no button. */
    .dialog .ways .button {
      flex: 1 0 100%;
    }
  }
  @container io (inline-size >= 560px) {
    .bar {
      padding-block: var(--_s3);
    }
  }
  @media (pointer: coarse) {
    .bar {
      --_control: 44px;
    }
  }
`;
