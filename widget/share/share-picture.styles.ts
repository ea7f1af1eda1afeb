import { css } from 'lit';

/** Styles of the picture of a shared image. */
export const pictureStyles = css`
  :host {
    display: grid;
    gap: 8px;
    min-inline-size: 0;
  }
  .box {
    position: relative;
    display: grid;
    place-items: center;
    min-inline-size: 0;
    overflow: hidden;
    border-radius: var(--_r1);
    background: var(--_surface-2);
  }
  /* Cards beside each other are equally high. */
  @media (min-width: 640px) {
    :host(:not([small])) .box {
      block-size: min(60vh, 320px);
    }
  }
  .frame {
    position: relative;
    display: grid;
    max-inline-size: 100%;
    --at: 50%;
  }
  img,
  svg:not(.icon) {
    display: block;
    inline-size: auto;
    block-size: auto;
    max-inline-size: 100%;
    max-block-size: min(60vh, 320px);
  }
  .after {
    position: absolute;
    inset: 0;
    inline-size: 100%;
    block-size: 100%;
    max-block-size: none;
    clip-path: inset(0 0 0 var(--at));
  }
  .handle {
    position: absolute;
    inset-block: 0;
    inset-inline-start: calc(var(--at) - 1px);
    inline-size: 2px;
    background: #fff;
    box-shadow: 0 0 0 1px rgb(0 0 0 / 45%);
  }
  .handle::before {
    content: '';
    position: absolute;
    inset-block-start: calc(50% - 16px);
    inset-inline-start: -15px;
    inline-size: 32px;
    block-size: 32px;
    border: 2px solid #fff;
    border-radius: 50%;
    background: rgb(0 0 0 / 55%);
  }
  .frame:has(input:focus-visible) .handle::before {
    outline: 3px solid var(--_focus);
  }
  input {
    position: absolute;
    inset: 0;
    inline-size: 100%;
    block-size: 100%;
    margin: 0;
    opacity: 0;
    cursor: ew-resize;
    touch-action: pan-y;
  }
  .tag {
    position: absolute;
    inset-block-start: 8px;
    inset-inline-start: 8px;
    padding: 2px 8px;
    border-radius: 99px;
    background: rgb(0 0 0 / 72%);
    color: #fff;
    font-size: var(--_t12);
    font-weight: 500;
  }
  .tag.end {
    inset-inline: auto 8px;
  }
  .tools {
    position: absolute;
    inset-block-end: 8px;
    inset-inline-end: 8px;
    display: flex;
    gap: 8px;
  }
  .compare:has(.visually-hidden) {
    padding: 0;
    inline-size: var(--_control);
  }
  .missing {
    display: flex;
    flex-wrap: wrap;
    gap: 8px 12px;
    align-items: center;
  }
  .bad {
    color: var(--_danger);
  }
  :host([small]) .box {
    border-radius: var(--_r1);
  }
  :host([small]) :is(img, svg) {
    inline-size: 48px;
    block-size: 48px;
    object-fit: cover;
  }
  dialog {
    inline-size: calc(100vw - 24px);
    max-inline-size: none;
    block-size: calc(100dvh - 24px);
    max-block-size: none;
    padding: 8px 16px 16px;
    border: 1px solid var(--_border);
    border-radius: var(--_r3);
    background: var(--_surface);
    color: var(--_text);
    overflow: auto;
  }
  dialog::backdrop {
    background: rgb(12 14 16 / 60%);
  }
  dialog form {
    position: sticky;
    inset-block-start: 0;
    z-index: 1;
    display: grid;
    justify-items: end;
    block-size: 0;
  }
  @media (forced-colors: active) {
    .handle,
    .handle::before {
      border: 1px solid CanvasText;
      background: CanvasText;
      forced-color-adjust: none;
    }
  }
`;
