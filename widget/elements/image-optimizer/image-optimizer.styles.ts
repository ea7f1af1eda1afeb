import { css } from 'lit';

/** Styles of the element's card. */
export const shellStyles = css`
  .base {
    position: relative;
  }
  .shell {
    position: relative;
    display: grid;
    gap: calc(var(--_space) * 4);
    padding: calc(var(--_space) * 4);
    border: 1px solid var(--_border);
    border-radius: calc(var(--_radius) * 1.6);
    background: var(--_surface);
    box-shadow: var(--_shadow);
  }
  .shell > * {
    min-inline-size: 0;
  }
  header {
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
    gap: 0 calc(var(--_space) * 3);
  }
  h2 {
    font-size: 1.4667em;
    font-weight: 680;
    line-height: 1.2;
    letter-spacing: -0.015em;
  }
  h3 {
    font-weight: 620;
    line-height: 1.3;
  }
  .tools {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: calc(var(--_space) * 1.5);
  }
  .empty .tools {
    display: block;
  }
  .footer {
    display: contents;
  }
  ::slotted([slot='footer']) {
    margin-block-start: calc(var(--_space) * 2);
  }
  @container io (inline-size >= 560px) {
    .shell {
      padding: calc(var(--_space) * 6);
      gap: calc(var(--_space) * 5);
    }
  }
  @media (forced-colors: active) {
    .shell {
      border: 1px solid CanvasText;
    }
  }
`;
