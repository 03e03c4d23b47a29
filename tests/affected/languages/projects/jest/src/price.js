exports.gross = (net) => net * 2;
