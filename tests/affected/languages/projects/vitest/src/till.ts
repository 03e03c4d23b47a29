import { total } from './cart.js';

export const pay = (given: number, ...nets: number[]) => given - total(...nets);
