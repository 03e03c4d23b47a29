import assert from 'node:assert';
import { total } from '../src/cart.js';

it('total', () => {
  assert.equal(total(1, 2), 6);
});

it('discount in €', () => {
  assert.equal(total(10), 19);
});
