export const gross = (net) => net * 2;
