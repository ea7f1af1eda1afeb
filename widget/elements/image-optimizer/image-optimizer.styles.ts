import { css } from 'lit';

/** Styles of the element's card. */
export const shellStyles = css`
  .base {
    position: relative;
  }
  .shell {
    --_pad: var(--_s3);
    position: relative;
    display: grid;
    gap: var(--_s2);
    padding: var(--_pad);
    border: 1px solid var(--_border);
    border-radius: var(--_r3);
    background: var(--_surface);
    box-shadow: var(--_shadow);
  }
  .shell > * {
    min-inline-size: 0;
  }
  .titlebar,
  header {
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
    gap: 0 var(--_s3);
  }
  .titlebar {
    align-items: center;
    justify-content: space-between;
    gap: var(--_s2);
  }
  .empty .titlebar {
    display: grid;
    justify-content: normal;
  }
  h2 {
    font-size: var(--_t16);
    font-weight: 600;
    line-height: 1.3;
  }
  .tools {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--_s2);
  }
  .empty .tools {
    display: block;
  }
  .footer {
    display: contents;
  }
  ::slotted([slot='footer']) {
    margin-block-start: var(--_s2);
  }
  @container io (inline-size >= 560px) {
    .shell {
      --_pad: var(--_s4);
      gap: var(--_s3);
    }
  }
  :host([compact]) {
    --_thumb: var(--io-thumb-size, 40px);
    --_row-min: var(--io-row-min-height, 56px);
    --_zone: var(--_s4);
    --_picture: none;
  }
  :host([compact]) .shell {
    --_pad: 0px;
    border: 0;
    border-radius: 0;
    box-shadow: none;
  }
`;
