import fc from 'fast-check';
import type { Fields, Value } from './statement.ts';

const scalar: fc.Arbitrary<Value> = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: -2, max: 3 }) as fc.Arbitrary<Value> },
  { weight: 2, arbitrary: fc.constantFrom<Value>('', 'a', 'b', 'ab') },
  { weight: 1, arbitrary: fc.constantFrom<Value>(null, true, false, 0.5, 2 ** 40) },
);
const small: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('b', 'c', '0'), tie('value'), { maxKeys: 2, noNullPrototype: true }),
  ),
})).value;

/** Documents with the fields a and b. */
export const someFields: fc.Arbitrary<Fields> = fc.dictionary(fc.constantFrom('a', 'b'), small, {
  noNullPrototype: true,
});
/** Paths into them. */
const path = fc.constantFrom('a', 'b', 'a.b', 'a.0', 'a.c', 'a.0.b', 'a.1', 'b.0', 'a.b.c', 'a.0.0');

const single = (name: string, operand: fc.Arbitrary<Value>) => operand.map((value): Fields => ({ [name]: value }));
const ordering = fc.oneof(fc.integer({ min: -1, max: 2 }) as fc.Arbitrary<Value>, fc.constantFrom<Value>('a', true));
const operators: fc.Arbitrary<Fields> = fc.oneof(
  ...['$eq', '$ne'].map((name) => single(name, small)),
  ...['$in', '$nin'].map((name) => single(name, fc.array(small, { maxLength: 3 }))),
  ...['$gt', '$gte', '$lt', '$lte'].map((name) => single(name, ordering)),
  single('$exists', fc.boolean()),
  fc.tuple(ordering, ordering).map(([low, high]): Fields => ({ $gte: low, $lt: high })),
);
const elemMatch: fc.Arbitrary<Fields> = fc.oneof(
  operators.map((condition): Fields => ({ $elemMatch: condition })),
  fc.record({ b: fc.oneof(scalar, operators) }).map((condition): Fields => ({ $elemMatch: condition as Fields })),
);
const condition: fc.Arbitrary<Value> = fc.oneof(
  { weight: 2, arbitrary: small },
  { weight: 4, arbitrary: operators as fc.Arbitrary<Value> },
  elemMatch,
);
const leaf: fc.Arbitrary<Fields> = fc.dictionary(path, condition, { maxKeys: 2, noNullPrototype: true });

/** Filters of all operators of the subset but regular expressions. */
export const someFilter: fc.Arbitrary<Fields> = fc.oneof(
  { weight: 4, arbitrary: leaf },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('$and', '$or'), fc.array(leaf, { minLength: 1, maxLength: 2 }))
      .map(([name, list]): Fields => ({ [name]: list })),
  },
);

/** Sorts by one or two paths. */
export const someSort: fc.Arbitrary<Record<string, 1 | -1>> = fc.dictionary(
  fc.constantFrom('a', 'b', 'a.b'),
  fc.constantFrom(1 as const, -1 as const),
  { minKeys: 1, maxKeys: 2, noNullPrototype: true },
);

/** Keys of indexes that queries may use. */
export const someIndexes: fc.Arbitrary<Record<string, 1 | -1>[]> = fc.subarray<Record<string, 1 | -1>>([
  { a: 1 },
  { 'a.b': -1 },
  { b: 1, a: -1 },
  { 'a.0': 1 },
  { 'a.c': 1 },
]);

const target = fc.constantFrom('a', 'b', 'a.b', 'a.0', 'a.0.b', 'a.b.c');
const update = (operator: string, operand: fc.Arbitrary<Value>) =>
  fc.record({ operator: fc.constant(operator), path: target, operand });

/** One operator on one path. */
export const someUpdate = fc.oneof(
  update('$set', small),
  update('$unset', fc.constant<Value>(true)),
  update('$inc', fc.integer({ min: -2, max: 2 }) as fc.Arbitrary<Value>),
  ...['$min', '$max'].map((operator) => update(operator, small)),
  update('$push', scalar),
  update(
    '$pull',
    fc.oneof(
      scalar,
      fc.record({ b: scalar }),
      single('$gte', ordering),
      single('$in', fc.array(scalar, { maxLength: 2 })),
    ),
  ),
);
