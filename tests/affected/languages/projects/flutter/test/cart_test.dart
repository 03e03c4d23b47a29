import 'package:shop/cart.dart';
import 'package:flutter_test/flutter_test.dart';

void main() {
  test('adds up', () {
    expect(total(2), 4);
  });

  test('gives a discount in €', () {
    expect(total(10), 19);
  });
}
