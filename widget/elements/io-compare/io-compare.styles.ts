import { css } from 'lit';

/** Styles of the comparison: two canvases, a divider, controls below. */
export const compareStyles = css`
  .base {
    display: grid;
    grid-template: auto minmax(0, 1fr) / minmax(0, 1fr);
    gap: var(--_s3);
    block-size: 100%;
  }
  header,
  .tools {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--_s2) var(--_s3);
  }
  .title {
    flex: 1 1 22ch;
    min-inline-size: 0;
  }
  .steps {
    display: flex;
    align-items: center;
    gap: var(--_space);
  }
  .stage {
    position: relative;
    overflow: hidden;
    inline-size: 100%;
    min-block-size: 120px;
    block-size: var(--_stage, clamp(180px, calc(var(--_stage-height, 360) * 1px), min(64vh, 640px)));
    border-radius: var(--_radius);
    background: var(--_surface-2);
    box-shadow: inset 0 0 0 1px var(--_border);
    direction: ltr;
  }
  /* Shows where an image is transparent. */
  .stage::before {
    content: '';
    position: absolute;
    inset: 0;
    margin: auto;
    inline-size: min(100%, var(--_width, 0) * 1px);
    block-size: min(100%, var(--_height, 0) * 1px);
    background: repeating-conic-gradient(var(--_hover) 0 25%, transparent 0 50%) 0 0 / 16px 16px;
  }
  canvas {
    position: absolute;
    inset: 0;
    inline-size: 100%;
    block-size: 100%;
  }
  .original {
    clip-path: inset(0 calc(100% - var(--_x, 50%)) 0 0);
  }
  .rtl .original {
    clip-path: inset(0 0 0 var(--_x, 50%));
  }
  .scroller {
    position: absolute;
    inset: 0;
    overflow: hidden;
    cursor: ew-resize;
    touch-action: pan-y;
    scrollbar-width: thin;
  }
  .zoomed .scroller {
    overflow: auto;
    cursor: grab;
    touch-action: auto;
  }
  .zoomed .scroller.panning {
    cursor: grabbing;
  }
  .scroller:focus-visible {
    outline-offset: -3px;
  }
  .spacer {
    inline-size: calc(var(--_width, 0) * 1px);
    block-size: calc(var(--_height, 0) * 1px);
  }
  .handle {
    position: absolute;
    inset-block: 0;
    inset-inline-start: 0;
    inline-size: 44px;
    margin-inline-start: -22px;
    translate: var(--_x, 50%) 0;
    cursor: ew-resize;
    touch-action: none;
  }
  .handle::before {
    content: '';
    position: absolute;
    inset-block: 0;
    inset-inline-start: 21px;
    inline-size: 2px;
    background: #fff;
    box-shadow: 0 0 0 1px #0005;
  }
  .handle::after {
    content: '';
    position: absolute;
    inset-block-start: 50%;
    inset-inline-start: 4px;
    inline-size: 36px;
    block-size: 36px;
    margin-block-start: -18px;
    border-radius: 50%;
    background: #fff;
    box-shadow: 0 0 0 1px #0003, 0 2px 8px #0005;
  }
  .handle svg {
    position: absolute;
    z-index: 1;
    inset-block-start: calc(50% - 10px);
    inset-inline-start: 12px;
    color: #23272f;
  }
  .tag {
    position: absolute;
    inset-block-start: 10px;
    padding: 2px 9px;
    border-radius: 99px;
    background: #000c;
    color: #fff;
    font-size: var(--_t12);
    font-weight: 500;
    pointer-events: none;
  }
  .tag.left {
    inset-inline-start: 10px;
  }
  .tag.right {
    inset-inline-end: 10px;
  }
  .tag.covered {
    opacity: 0;
  }
  .cover {
    position: absolute;
    inset: 0;
    display: grid;
    place-content: center;
    justify-items: center;
    gap: var(--_s3);
    padding: var(--_s6);
    background: color-mix(in oklab, var(--_surface-2) 92%, transparent);
    text-align: center;
  }
  /* The picture before stays. */
  .wait {
    inset-inline-start: 50%;
    translate: -50%;
  }
  .split {
    flex: 1 1 240px;
    display: block;
    min-inline-size: 0;
    block-size: 28px;
    margin: 0;
    cursor: pointer;
  }
  .figures {
    display: flex;
    flex-wrap: wrap;
    gap: 2px var(--_s4);
    align-items: baseline;
  }
  @media (forced-colors: active) {
    .handle::before {
      background: CanvasText;
    }
    .tag {
      border: 1px solid CanvasText;
      background: Canvas;
      color: CanvasText;
    }
  }
`;
