export const gross = (net: number) => net * 2;
