const { gross } = require('./price');

exports.total = (...nets) => nets.reduce((sum, net) => sum + gross(net), 0);
