export const nobody = 0;
