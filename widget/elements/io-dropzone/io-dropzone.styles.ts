import { css } from 'lit';

/** Styles of the drop zone. Large: a frame with a picture. Small: only the buttons, inside the toolbar. */
export const dropzoneStyles = css`
  :host {
    display: block;
  }
  .zone {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
  }
  :host([large]) .zone {
    flex-direction: column;
    justify-content: center;
    padding: var(--_zone, calc(var(--_space) * 12)) var(--_s4);
    border: 1.5px dashed var(--_edge);
    border-radius: var(--_radius);
    background: var(--_surface-2);
    text-align: center;
  }
  :host([large]) .zone.awake {
    border-color: var(--_accent);
    background: var(--_tint);
  }
  .buttons {
    display: flex;
    flex-wrap: wrap;
    gap: var(--_s2);
    justify-content: center;
  }
  .hint {
    margin-block-start: var(--_s5);
    max-inline-size: 52ch;
    font-size: var(--_t13);
    color: var(--_muted);
  }
  .overlay {
    position: absolute;
    inset: 0;
    z-index: var(--_z);
    display: grid;
    place-items: center;
    border: 2px dashed var(--_accent);
    border-radius: inherit;
    background: color-mix(in oklab, var(--_surface) 82%, transparent);
    pointer-events: none;
  }
  .overlay span {
    display: inline-flex;
    align-items: center;
    gap: var(--_s2);
    padding: var(--_s3) var(--_s5);
    border-radius: 99px;
    background: var(--_surface);
    box-shadow: var(--_shadow);
    color: var(--_text);
    font-weight: 600;
  }
  .overlay .over {
    background: var(--_accent);
    color: var(--_on-accent);
  }
  /* Phones cannot pick folders and have little room. */
  @container io (inline-size < 860px) {
    :host(:not([large])) .folder-pick {
      display: none;
    }
  }
  @media (forced-colors: active) {
    .overlay {
      background: Canvas;
    }
  }
`;
