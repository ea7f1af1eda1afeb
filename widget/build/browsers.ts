/** Browsers of the last years: all that know `light-dark()` in style sheets, and custom states (Firefox). */
export const BROWSERS = ['chrome123', 'edge123', 'firefox126', 'safari17.5'];
