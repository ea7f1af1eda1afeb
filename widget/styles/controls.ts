import { buttons } from './buttons.ts';
import { feedback } from './feedback.ts';
import { fields } from './fields.ts';

/** Buttons, fields and what tells the state of things, for elements that need it all. */
export const controls = [buttons, fields, feedback];
