import assert from 'node:assert';
import test from 'node:test';
import { total } from '../src/cart.js';

test('total', () => {
  assert.equal(total(1, 2), 6);
});

test('discount in €', () => {
  assert.equal(total(10), 19);
});
