exports.nobody = 0;
