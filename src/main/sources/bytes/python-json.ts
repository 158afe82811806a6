/** A string, to its end or that of the text; or a number that JSON has none for. */
const TOKEN = /"(?:[^"\\]|\\.)*(?:"|$)|-?\b(?:NaN|Infinity)\b(?=\s*(?:[,}\]]|$))/gs;

/**
 * JSON as Python's `json` writes it by default: with `NaN`, `Infinity` and `-Infinity`, which become these texts. It is what a
 * training loop logs when its loss is lost.
 * @param parse reads JSON, and gets the text as it is first
 * @throws SyntaxError and what else `parse` throws
 */
export function parsePythonJson(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError) || !/NaN|Infinity/.test(text)) throw error;
    return parse(text.replace(TOKEN, (token) => (token.startsWith('"') ? token : `"${token}"`)));
  }
}
