/**
 * The members of a stored JSON object; none for empty text.
 *
 * @throws SyntaxError where the text is not JSON: stored values were checked when they came in, so that this is a bug.
 */
export const jsonMembers = (text: string): Readonly<Record<string, unknown>> =>
  text === '' ? {} : (JSON.parse(text) as Readonly<Record<string, unknown>>);
