// Owns how things look: design tokens, controls, icons. Must not know what they are used for.
export { buttons, controls, feedback, fields } from './controls.ts';
export { type IconName, icon } from './icons.ts';
export { foundation, tokens } from './tokens.ts';
