import { css } from 'lit';

/** Styles of badges, progress and notices. Each has a text; colour is never the only cue. */
export const feedback = css`
  .badge {
    display: inline-flex;
    align-items: center;
    gap: 6px;
    font-size: var(--_t13);
    font-weight: 500;
    --_icon: 14px;
  }
  /* A dot in the colour of the state; a ring for an image that was not reviewed. */
  .badge:is(.ring, .success, .warning, .danger):not(:has(.icon))::before {
    content: '';
    flex: none;
    inline-size: 8px;
    block-size: 8px;
    border: 2px solid var(--_badge, var(--_muted));
    border-radius: 50%;
    background: var(--_badge);
  }
  .badge.success {
    --_badge: var(--_success);
  }
  .badge.warning {
    --_badge: var(--_check);
  }
  .badge.danger {
    --_badge: var(--_danger);
  }
  progress {
    appearance: none;
    display: block;
    inline-size: 100%;
    block-size: 6px;
    border: 0;
    border-radius: 3px;
    overflow: hidden;
    background: color-mix(in oklab, var(--_text) 11%, transparent);
  }
  progress::-webkit-progress-bar {
    background: transparent;
  }
  progress::-webkit-progress-value {
    border-radius: 3px;
    background: var(--_accent);
  }
  progress::-moz-progress-bar {
    border-radius: 3px;
    background: var(--_accent);
  }
  .notice {
    display: flex;
    align-items: flex-start;
    gap: var(--_s3);
    padding: var(--_s3) var(--_s4);
    border: 1px solid color-mix(in oklab, var(--_notice, var(--_accent)) 30%, var(--_border));
    border-radius: var(--_radius);
    background: color-mix(in oklab, var(--_notice, var(--_accent)) 7%, var(--_surface));
    color: var(--_text);
  }
  .notice > .icon {
    margin-block-start: 1px;
    color: var(--_notice, var(--_accent));
  }
  .notice > .content {
    flex: 1;
    min-inline-size: 0;
  }
  .notice.danger {
    --_notice: var(--_danger);
  }
  .notice.warning {
    --_notice: var(--_warning);
  }
  .muted {
    color: var(--_muted);
  }
  .numbers {
    font-variant-numeric: tabular-nums;
  }
  @media (forced-colors: active) {
    progress {
      border: 1px solid CanvasText;
    }
    progress::-webkit-progress-value {
      background: Highlight;
    }
  }
`;
