import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createGate } from '../../server/analysis/gate.ts';

/** Callers of a gate with one place, which the first one holds. */
async function crowd(names: string[]) {
  const gate = createGate(1);
  const order: string[] = [];
  const gone = new AbortController();
  const enter = async (name: string) => {
    const leave = await gate.enter(name.slice(0, 1), name.endsWith('!') ? gone.signal : new AbortController().signal);
    order.push(name);
    await nextTurn();
    leave();
  };
  const all = names.map((name) => enter(name));
  return { order, gone, all: Promise.allSettled(all) };
}

it('accounts take turns at the model, however many images one has waiting', async () => {
  const { order, all } = await crowd(['a0', 'a1', 'a2', 'a3', 'b0', 'c0', 'b1']);
  await all;
  expect(order).toEqual(['a0', 'a1', 'b0', 'c0', 'a2', 'b1', 'a3']);
});

it('a caller that gives up frees its turn, and nobody is admitted twice', async () => {
  const { order, gone, all } = await crowd(['a0', 'a1', 'b0!', 'b1!', 'c0', 'a2']);
  gone.abort(new Error('gone'));
  const outcomes = await all;
  expect(order).toEqual(['a0', 'a1', 'c0', 'a2']);
  expect(outcomes.map(({ status }) => status)).toEqual(
    ['', '', 'rejected', 'rejected', '', ''].map((status) => status || 'fulfilled'),
  );
});
