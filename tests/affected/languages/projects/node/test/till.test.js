import assert from 'node:assert';
import test from 'node:test';
import { pay } from '../src/till.js';

test('pay', () => {
  assert.equal(pay(10, 1, 2), 4);
});
