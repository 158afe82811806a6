/** What is rare but no reason to give up is asked of the other side, which knows how it writes it. */

/** Writes a double as JSON at `to`; answers where it ends. */
export declare function writeDouble(value: f64, to: usize): usize;

/** Writes the double that `[from, end)` spells as JSON at `to`; answers where it ends, 0 when it spells none. */
export declare function writeDecimal(from: usize, end: usize, to: usize): usize;
