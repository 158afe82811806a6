/**
 * What a terminal obeys (C0, DEL, C1), what turns the text around it (Unicode's bidirectional controls, UAX 9), line ends
 * that some take for one (U+2028, U+2029), and invisible characters (U+FEFF, tags).
 */
const unseen = /(?![\t\n])\p{Cc}|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
/** Of our own making between lines; carriage returns end lines of CSV. */
const lineEnd = /\r\n/g;

const escaped = (found: string): string =>
  Array.from({ length: found.length }, (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');

/**
 * Foreign text among our own as it is: `\u202e` in place of what would act on a terminal, or on the words beside it. Line
 * feeds and tabs stay. Of JSON it is the same value, escaped.
 */
export const visibleText = (text: string): string => text.replaceAll(lineEnd, '\n').replaceAll(unseen, escaped);

/** A name or reason within a line of ours: it can neither end it nor begin another. */
export const visibleLine = (text: string): string => visibleText(text).replaceAll(/[\n\t]/g, escaped);
