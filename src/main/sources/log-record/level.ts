/** Severity numbers of the OpenTelemetry log data model, by level words of logging libraries. Source: the model's appendix B. */
const words = new Map<string, number>(
  Object.entries({
    trace: 1,
    verbose: 1,
    finest: 1,
    debug: 5,
    dbg: 5,
    fine: 5,
    info: 9,
    inf: 9,
    information: 9,
    informational: 9,
    notice: 10,
    warn: 13,
    wrn: 13,
    warning: 13,
    error: 17,
    err: 17,
    severe: 17,
    critical: 18,
    crit: 18,
    alert: 19,
    fatal: 21,
    ftl: 21,
    panic: 21,
    dpanic: 21,
    emergency: 21,
    emerg: 21,
  }),
);
const letters = new Map<string, number>(Object.entries({ T: 1, V: 1, D: 5, I: 9, N: 10, W: 13, E: 17, C: 18, F: 21 }));
/** By syslog level, 0 (emergency) to 7 (debug). */
const syslog = [21, 19, 18, 17, 13, 10, 9, 5];
const LONGEST = 16;

/** Severity number of a level word in any case (`WARN`, `Information`); 0: no level word. */
export const severityOfWord = (word: string): number =>
  word.length > LONGEST ? 0 : (words.get(word) ?? words.get(word.toLowerCase()) ?? 0);

/** Severity number of the letter before a glog time (`E0501`); 0: none. */
export const severityOfLetter = (letter: string): number => letters.get(letter) ?? 0;

/**
 * Severity number of a numeric level: steps of ten are those of pino, bunyan and Python (10 trace or debug to 60); `syslog`: 0 to 7 are
 * levels of syslog, as GELF has them. 0: the number states no known level.
 */
export function severityOfNumber(level: number, dialect: 'syslog' | 'tens' | 'python'): number {
  if (dialect === 'syslog') return syslog[level] ?? 0;
  const step = Math.floor(level / 10);
  return level < 10 || level >= 70
    ? 0
    : ((dialect === 'python' ? [0, 5, 9, 13, 17, 18, 18] : [0, 1, 5, 9, 13, 17, 21])[step] ?? 0);
}

export interface StatedLevel {
  readonly severity: number;
  /** The level as written; '' none. */
  readonly text: string;
}
const noLevel: StatedLevel = { severity: 0, text: '' };

/** A word that a text begins with, perhaps in brackets, perhaps with a colon. */
const BEGINNING = /^\s{0,4}([[(<]?)([A-Za-z]{3,13})([\])>]?)(:?)(?=[\s|-]|$)/;
/** Words that are a level with a colon in any case, and without one in capitals: `Error: x`, `ERROR x`; others begin sentences. */
const plainWords = new Set(['debug', 'info', 'warn', 'warning', 'error', 'critical', 'fatal', 'panic']);
/** A beginning is never longer, in characters; four times as many bytes hold them. */
export const LONGEST_BEGINNING = 32;

/** The level that a text without a field for it begins with: `ERROR: disk failed`, `[warn] slow`, `INFO ready`. */
export function levelInText(body: string): StatedLevel {
  const match = BEGINNING.exec(body.slice(0, LONGEST_BEGINNING));
  if (!match) return noLevel;
  const [, open = '', word = '', close = '', colon = ''] = match;
  const severity = severityOfWord(word);
  const isCapitals = word === word.toUpperCase();
  const isPlain = plainWords.has(word.toLowerCase());
  const isLevel =
    open !== '' || close !== ''
      ? open !== '' && close !== ''
      : isCapitals
        ? colon !== '' || isPlain
        : colon !== '' && isPlain;
  return severity > 0 && isLevel ? { severity, text: word } : noLevel;
}
