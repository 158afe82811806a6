/** Index of the first element not less than `x` in an ascending column; its length when none is. */
export function bisectLeft(column: ArrayLike<number>, x: number, from = 0): number {
  let low = from;
  let high = column.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (column[middle]! < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Index of the first element greater than `x` in an ascending column. */
export function bisectRight(column: ArrayLike<number>, x: number, from = 0): number {
  let low = from;
  let high = column.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (column[middle]! <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}
