// To be loaded with `--import`: shifts the wall clock of a process, of its threads and of the processes that it starts by
// what the file CLOCK_SHIFT_FILE holds at the moment, in milliseconds. Timers and performance.now() are left alone, as a
// step of the system's clock leaves them.
import { readFileSync } from 'node:fs';

const file = process.env.CLOCK_SHIFT_FILE ?? '';
const RealDate = Date;
const CHECK_EVERY_MS = 10;
let shiftMs = 0;
let checkedAt = Number.NEGATIVE_INFINITY;

function now() {
  if (performance.now() - checkedAt > CHECK_EVERY_MS) {
    checkedAt = performance.now();
    shiftMs = Number(readFileSync(file, 'utf8'));
  }
  return RealDate.now() + shiftMs;
}

/** @type {DateConstructor} */
const ShiftedDate = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length > 0 ? args : [now()], newTarget === ShiftedDate ? target : newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
});
RealDate.prototype.constructor = ShiftedDate;
globalThis.Date = ShiftedDate;
