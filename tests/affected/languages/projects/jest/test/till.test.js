const { pay } = require('../src/till');

test('pay', () => {
  expect(pay(10, 1, 2)).toBe(4);
});
