const { total } = require('./cart');

exports.pay = (given, ...nets) => given - total(...nets);
