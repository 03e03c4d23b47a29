import { expect, test } from 'vitest';
import { total } from '../src/cart.js';

test('total', () => {
  expect(total(1, 2)).toBe(6);
});

test('discount in €', () => {
  expect(total(10)).toBe(19);
});
