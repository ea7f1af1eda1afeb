import { css } from 'lit';

/** Styles of the visitor pages: a welcome text with a form beside it. */
export const visitorStyles = css`
  .visitor {
    display: grid;
    grid-template-columns: minmax(0, 0.9fr) minmax(0, 1.1fr);
    min-block-size: 100vh;
  }
  .visitor .side {
    justify-content: space-between;
    padding: clamp(24px, 4vw, 48px);
  }
  .visitor .head {
    padding: 0;
  }
  .visitor .motto {
    font-size: clamp(1.9em, 1.2em + 2.4vw, 3.1em);
    font-weight: 600;
    line-height: 1.06;
    letter-spacing: -0.028em;
    text-wrap: balance;
  }
  .visitor .lead {
    max-inline-size: 40ch;
    margin-block-start: 14px;
    color: var(--soft);
    font-size: 1.08em;
    text-wrap: pretty;
  }
  .visitor .points {
    display: grid;
    gap: 6px;
    margin-block-start: 26px;
    padding-inline-start: 14px;
    border-inline-start: 3px solid var(--gold);
    color: var(--soft);
  }
  .visitor .choices {
    max-inline-size: 240px;
  }
  .visitor main {
    align-content: center;
    inline-size: min(100%, 500px);
  }
  @media (max-width: 860px) {
    .visitor {
      grid-template-columns: minmax(0, 1fr);
      align-content: start;
    }
    .visitor .side {
      position: static;
      gap: 22px;
      padding: 18px clamp(16px, 4vw, 40px) 24px;
    }
    .visitor .points,
    .visitor .side .themes {
      display: none;
    }
    .visitor .motto {
      font-size: 1.5em;
    }
    .visitor .lead {
      margin-block-start: 6px;
      font-size: 1em;
    }
    .visitor main {
      inline-size: min(100%, 560px);
      padding-block-start: 32px;
    }
  }
`;
