import { describe, expect, it } from 'vitest';
import { describeVisitor, networkOf } from '../../server/sign-in/visitor.ts';

describe('the network of an address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::', '2001:db8:1:2'],
    ['::1', '0:0:0:0'],
    ['192.0.2.7:50123', '192.0.2.7'],
    ['[2001:db8:1:2:3:4:5:6]:50123', '2001:db8:1:2'],
    ['[2001:db8:1:2::]', '2001:db8:1:2'],
    ['', 'unknown'],
    ['evil\n', 'unknown'],
  ])('%j is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

it('is stored without the port that some proxies add to the address', () => {
  const stored = (address: string) => describeVisitor({ address, userAgent: '' }).address;
  expect(['192.0.2.7:50123', '[2001:db8::7]:50123', 'evil:1'].map(stored)).toEqual(['192.0.2.7', '2001:db8::7', '']);
});
