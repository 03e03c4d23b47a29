import 'package:shop/till.dart';
import 'package:test/test.dart';

void main() {
  test('takes money', () {
    expect(pay(2), 4);
  });
}
