/** A year: what is off by more is no clock. In seconds. */
export const MOST_SHIFT_S = 31_622_400;
