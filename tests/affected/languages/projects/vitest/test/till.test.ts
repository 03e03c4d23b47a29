import { expect, test } from 'vitest';
import { pay } from '../src/till.js';

test('pay', () => {
  expect(pay(10, 1, 2)).toBe(4);
});
