import { total } from './cart.js';

export const pay = (given, ...nets) => given - total(...nets);
