import { buttons } from './buttons.ts';
import { feedback } from './feedback.ts';
import { fields } from './fields.ts';

/** Styles of buttons, fields and feedback together. */
export const controls = [buttons, fields, feedback];
