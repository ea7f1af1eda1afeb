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
    font-size: var(--_t28);
    font-weight: 600;
    line-height: 1.2143;
    letter-spacing: -0.02em;
    text-wrap: balance;
  }
  .visitor .lead {
    max-inline-size: 40ch;
    margin-block-start: 12px;
    color: var(--soft);
    font-size: var(--_t16);
    text-wrap: pretty;
  }
  .visitor .points {
    display: grid;
    gap: 8px;
    margin-block-start: 24px;
    padding-inline-start: 12px;
    border-inline-start: 2px solid var(--line);
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
      gap: 24px;
      padding: 16px clamp(16px, 4vw, 40px) 24px;
    }
    .visitor .points,
    .visitor .side .themes {
      display: none;
    }
    .visitor .motto {
      font-size: var(--_t20);
    }
    .visitor .lead {
      margin-block-start: 4px;
      font-size: 1em;
    }
    .visitor main {
      inline-size: min(100%, 560px);
      padding-block-start: 32px;
    }
  }
`;
