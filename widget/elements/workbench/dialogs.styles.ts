import { css } from 'lit';

/** Styles of the dialogs: confirmations and the comparison. */
export const dialogStyles = css`
  .dialog {
    inline-size: min(440px, calc(100vw - 32px));
    max-block-size: calc(100dvh - 32px);
    margin: auto;
    padding: var(--_s5);
    border: 1px solid var(--_border);
    border-radius: var(--_r3);
    background: var(--_surface);
    color: var(--_text);
    box-shadow: 0 24px 64px -16px #0006;
    overflow: auto;
  }
  .dialog[open] {
    display: grid;
    gap: var(--_s4);
    /* WebKit makes it as high as the window without. */
    align-content: start;
  }
  .dialog.sheet {
    inline-size: min(440px, 100vw);
    block-size: 100dvh;
    max-block-size: none;
    margin-block: 0;
    margin-inline-end: 0;
    border-width: 0;
    border-radius: 0;
    container: io / inline-size;
  }
  .dialog.whole {
    align-content: stretch;
    inline-size: 100%;
    max-inline-size: none;
    block-size: 100dvh;
    max-block-size: none;
    padding: 0;
    border: 0;
    border-radius: 0;
  }
  .dialog::backdrop {
    background: #0007;
  }
  .dialog h2 {
    font-size: var(--_t20);
  }
  .comparison[open] {
    --_stage: 100%;
    grid-template: 1fr auto / minmax(0, 1fr);
    gap: 0;
  }
  io-compare {
    padding: var(--_s2) var(--_s3) 0;
  }
  .choose {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--_s2);
    padding: var(--_s3);
  }
  .presets {
    flex: 1 1 600px;
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(88px, 1fr));
    gap: var(--_s2);
  }
  .presets .button {
    flex-direction: column;
    gap: 0;
    min-block-size: 64px;
  }
  .texts {
    display: grid;
    gap: var(--_s4);
  }
  .dialog .ways {
    justify-content: flex-end;
  }
  .top {
    display: flex;
    align-items: center;
    justify-content: space-between;
    margin-block: calc(var(--_space) * -2);
  }
  .bill {
    display: grid;
    border-block: 1px solid var(--_border);
  }
  .bill div {
    display: flex;
    flex-wrap: wrap;
    justify-content: space-between;
    gap: 0 var(--_s2);
    padding-block: var(--_s3);
  }
  .bill div + div {
    border-block-start: 1px solid var(--_border);
  }
  .bill dt {
    color: var(--_muted);
  }
`;
