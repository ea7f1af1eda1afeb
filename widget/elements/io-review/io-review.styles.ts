import { css } from 'lit';
import { fieldPartStyles } from '../io-row/index.ts';

/**
 * Styles of the review. It fills the dialog, which fills the window: beside each other in wide windows and in low ones, as at 400 %
 * zoom; below each other in narrow ones. Only the texts scroll, so that the picture stays in sight.
 */
export const reviewStyles = [
  fieldPartStyles,
  css`
    :host {
      display: block;
      container: review / size;
      block-size: 100%;
      min-block-size: 0;
    }
    .frame {
      display: grid;
      grid-template: 'head' auto 'picture' minmax(0, 1fr) 'strip' auto 'side' auto / minmax(0, 1fr);
      block-size: 100%;
    }
    header {
      grid-area: head;
      position: relative;
      display: flex;
      align-items: center;
      gap: 2px;
      padding: var(--_space) var(--_s2) var(--_space) var(--_s4);
    }
    progress {
      position: absolute;
      inset-block-end: 0;
      inset-inline: 0;
      block-size: 3px;
    }
    .where {
      flex: 1;
      display: flex;
      flex-wrap: wrap;
      gap: 0 var(--_s3);
      min-inline-size: 0;
    }
    .picture {
      grid-area: picture;
      position: relative;
      display: grid;
      place-items: center;
      min-block-size: 0;
      background: var(--_surface-2);
      color: var(--_muted);
      --_icon: 40px;
    }
    canvas,
    .focal {
      position: absolute;
      inset: 0;
      inline-size: 100%;
      block-size: 100%;
      object-fit: contain;
    }
    .focal {
      fill: none;
      filter: drop-shadow(0 0 2px #000);
    }
    rect {
      pointer-events: all;
      cursor: crosshair;
    }
    circle {
      stroke: #fff;
      stroke-width: 4px;
      vector-effect: non-scaling-stroke;
    }
    .centre > span {
      display: block;
    }
    [type='range'] {
      block-size: 24px;
    }
    .strip {
      grid-area: strip;
      display: flex;
      gap: var(--_space);
      padding: var(--_s2);
      overflow-x: auto;
      scrollbar-width: thin;
      background: var(--_surface-2);
      --_icon: 24px;
    }
    .strip .badge {
      flex: none;
      position: relative;
      justify-content: center;
      inline-size: 56px;
      block-size: 56px;
      margin-inline: auto;
      padding: 0;
      border: 0;
      border-radius: var(--_r1);
      overflow: hidden;
      background: var(--_hover);
      color: var(--_muted);
      cursor: pointer;
    }
    .strip canvas {
      object-fit: cover;
    }
    .strip .badge::before {
      position: absolute;
      z-index: 1;
      inset-block-end: 3px;
      inset-inline-end: 3px;
      box-shadow: 0 0 0 2px var(--_surface);
    }
    .strip .ring::before {
      background: var(--_surface);
    }
    .strip [aria-current='true'] {
      outline: 2px solid var(--_accent);
      outline-offset: 1px;
    }
    .side {
      grid-area: side;
      display: grid;
      grid-template-columns: minmax(0, 1fr);
      align-content: start;
      gap: var(--_s2);
      max-block-size: 62cqh;
      padding: var(--_s3) var(--_s4) 0;
      overflow: auto;
      overscroll-behavior: contain;
    }
    .about {
      display: flex;
      flex-wrap: wrap;
      align-items: baseline;
      gap: 2px var(--_s2);
    }
    .review {
      flex-basis: 100%;
      color: color-mix(in oklab, var(--_warning) 85%, var(--_text));
      font-size: var(--_t13);
    }
    .ways {
      position: sticky;
      inset-block-end: 0;
      padding-block: var(--_s2);
      background: var(--_surface);
    }
    .ways .button {
      inline-size: 100%;
    }
    .on {
      display: flex;
      flex-wrap: wrap;
      justify-content: center;
      gap: var(--_s2);
    }
    .end {
      grid-row: 2 / -1;
      grid-column: 1 / -1;
      display: grid;
      place-content: center;
      justify-items: center;
      gap: var(--_s4);
      padding: var(--_s4);
      text-align: center;
    }
    .end > .icon {
      color: var(--_success);
      --_icon: 48px;
    }
    .end > h2 {
      font-size: var(--_t20);
    }
    .frame:has(.end) header {
      grid-column: 1 / -1;
    }
    @container review (inline-size >= 700px) {
      .frame {
        grid-template: 'picture head' auto 'picture side' minmax(0, 1fr) 'strip side' auto / minmax(0, 1fr) clamp(280px, 34%, 440px);
      }
      .side {
        max-block-size: none;
      }
    }
    /* 400 % zoom makes a window of 320 x 225. */
    @container review (block-size < 420px) {
      .frame {
        grid-template: 'picture head' auto 'picture side' minmax(0, 1fr) / minmax(0, 2fr) minmax(0, 3fr);
      }
      .side {
        gap: var(--_space);
        max-block-size: none;
        padding-block-start: 0;
        padding-inline: var(--_s2);
      }
      .strip {
        display: none;
      }
      header {
        padding-inline-start: var(--_s2);
        --_control: 28px;
      }
      .where .muted,
      .keys {
        display: none;
      }
      .where {
        font-size: var(--_t12);
      }
      /* The field comes first: its text has to be above the button. */
      .about {
        order: 1;
      }
      .ways ~ .button {
        order: 3;
      }
      .ways {
        order: 2;
        padding-block: var(--_space);
      }
      .ways .button {
        min-block-size: 32px;
        padding: 0 var(--_space);
        font-size: var(--_t12);
      }
      .ways .icon {
        display: none;
      }
    }
    @media (pointer: coarse) {
      .keys {
        display: none;
      }
    }
    @media (forced-colors: active) {
      .picture {
        border: 1px solid CanvasText;
      }
    }
  `,
];
