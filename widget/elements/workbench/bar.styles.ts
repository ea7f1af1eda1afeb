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
    gap: calc(var(--_space) * 3) calc(var(--_space) * 5);
    margin: 0 calc(var(--_space) * -4) calc(var(--_space) * -4);
    padding: calc(var(--_space) * 3) calc(var(--_space) * 4);
    border-block-start: 1px solid var(--_border);
    border-end-start-radius: calc(var(--_radius) * 1.6 - 1px);
    border-end-end-radius: calc(var(--_radius) * 1.6 - 1px);
    background: var(--_surface);
  }
  .price {
    flex: 1 1 240px;
    min-inline-size: 0;
  }
  .running {
    display: grid;
    gap: calc(var(--_space) * 1.5);
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
    .bar .ways {
      flex: 1 0 100%;
    }
    .bar .ways .button,
    .dialog .ways .button {
      flex: 1 1 auto;
    }
  }
  @container io (inline-size >= 560px) {
    .bar {
      margin: 0 calc(var(--_space) * -6) calc(var(--_space) * -6);
      padding: calc(var(--_space) * 4) calc(var(--_space) * 6);
    }
  }
`;
