import assert from 'node:assert';
import { pay } from '../src/till.js';

it('pay', () => {
  assert.equal(pay(10, 1, 2), 4);
});
