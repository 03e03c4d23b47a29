import 'package:shop/till.dart';
import 'package:flutter_test/flutter_test.dart';

void main() {
  test('takes money', () {
    expect(pay(2), 4);
  });
}
