import { css } from 'lit';

/** Styles of the outcome of an export or sample. */
export const outcomeStyles = css`
  .outcome {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: calc(var(--_space) * 3) calc(var(--_space) * 6);
    padding: calc(var(--_space) * 5);
    border-radius: calc(var(--_radius) * 1.2);
    background: color-mix(in oklab, var(--_outcome, var(--_success)) 9%, var(--_surface));
    --_control: 40px;
  }
  .outcome.quiet {
    --_outcome: var(--_accent);
  }
  .outcome.warning {
    --_outcome: var(--_warning);
  }
  .warning .story {
    flex-basis: 40ch;
  }
  .outcome.danger {
    --_outcome: var(--_danger);
  }
  .outcome.stale {
    --_outcome: var(--_muted);
  }
  .figure {
    display: flex;
    align-items: baseline;
    gap: 0.3em;
    color: color-mix(in oklab, var(--_outcome, var(--_success)) 88%, var(--_text));
    font-size: 2.2667em;
    font-weight: 700;
    line-height: 1;
    letter-spacing: -0.03em;
    --_icon: 36px;
  }
  .figure span {
    font-size: 0.42em;
    font-weight: 600;
    letter-spacing: 0;
  }
  .story {
    flex: 1 1 22ch;
    min-inline-size: 0;
  }
  @container io (inline-size < 560px) {
    .outcome .ways,
    .outcome .button {
      flex: 1 1 auto;
    }
  }
  @media (forced-colors: active) {
    .outcome {
      border: 1px solid CanvasText;
    }
  }
`;
