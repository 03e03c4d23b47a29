import { gross } from './price.js';

export const total = (...nets) => nets.reduce((sum, net) => sum + gross(net), 0);
