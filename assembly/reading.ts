/** Where a reader is, and what it thinks of what it has read. */

let at: usize = 0;
let bad: bool = false;

export function position(): usize {
  return at;
}

export function goTo(place: usize): void {
  at = place;
}

/** The byte at the present place. */
export function peek(): u32 {
  return <u32>load<u8>(at);
}

/** A record begins. */
export function restart(): void {
  bad = false;
}

/** Something in this record is not what it should be: it will be left to others, but may be read to its end. */
export function noteBad(): void {
  bad = true;
}

export function isBad(): bool {
  return bad;
}
