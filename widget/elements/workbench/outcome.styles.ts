import { css } from 'lit';

/** Styles of the outcome of an export or sample. */
export const outcomeStyles = css`
  .outcome {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--_s3) var(--_s6);
    padding: var(--_s5);
    border-radius: var(--_radius);
    background: color-mix(in oklab, var(--_outcome, var(--_success)) 9%, var(--_surface));
  }
  .outcome.quiet {
    --_outcome: var(--_accent);
  }
  .outcome.warning {
    --_outcome: var(--_warning);
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
    font-size: var(--_t28);
    font-weight: 600;
    line-height: 1;
    --_icon: 36px;
  }
  .figure span {
    font-size: 0.42em;
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
