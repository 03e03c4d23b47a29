int gross(int net) => net * 2;
