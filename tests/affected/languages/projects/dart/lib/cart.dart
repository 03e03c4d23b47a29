import 'price.dart';

int total(int net) => gross(net);
