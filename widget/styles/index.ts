// Owns design tokens, styles of controls, and icons. Must not know what they are used for.
export { buttons } from './buttons.ts';
export { controls } from './controls.ts';
export { feedback } from './feedback.ts';
export { fields } from './fields.ts';
export { type IconName, icon } from './icons.ts';
export { foundation, tokens } from './tokens.ts';
