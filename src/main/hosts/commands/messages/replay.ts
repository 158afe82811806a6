export const messages = {
  summary: 'run all patterns over labelled recordings and compare; without FOLDER over the corpus of Faultline',
  usage: [
    'faultline replay [FOLDER] [--pattern NAME] [--thresholds FILE] [--json]',
    '  FOLDER     holds a folder for each pattern, with recordings positive, partial, negative and adjacent, and a folder healthy',
    '  --pattern  only the recordings of this pattern and the healthy ones',
    '  --thresholds  FILE of thresholds in place of your own; `faultline thresholds` prints one',
  ].join('\n'),
  progress: (index: number, of: number, name: string) => `${index} of ${of}  ${name}`,
  unknownPattern: (name: string, nearest: string | undefined) =>
    `there is no pattern ${name}${nearest === undefined ? '' : `, the nearest is ${nearest}`}`,
  columns: { pattern: 'pattern', found: 'found', missed: 'missed', quiet: 'quiet', elsewhere: 'elsewhere' },
  lines: {
    missed: (recording: string, what: string) => `MISSED      ${recording}: ${what}`,
    unexpected: (recording: string, what: string) => `UNEXPECTED  ${recording}: ${what}`,
    notRead: (recording: string, why: string) => `NOT READ    ${recording}: ${why}`,
    rejects: (recording: string, rejects: number) =>
      `REJECTS     ${recording}: ${rejects} ${rejects === 1 ? 'row' : 'rows'} could not be read`,
    detail: (text: string) => `            ${text}`,
  },
  headline: (words: string) => `"${words}"`,
  without: (layers: string) => `without ${layers}`,
  about: (entities: string) => `about ${entities}`,
  until: (end: string) => ` to ${end}`,
  nothingRead: 'no row of it could be read',
  notReadHint: 'try `faultline import CASE FILE`; a file that is no recording does not belong into its folder',
  totals: ({
    held,
    all,
    missed,
    unexpected,
    notRead,
  }: Record<'held' | 'all' | 'missed' | 'unexpected' | 'notRead', number>) =>
    `${held} of ${all} recordings are as labelled; ${missed} missed, ${unexpected} unexpected findings, ${notRead} not read`,
  others: (patterns: number, healthy: number) =>
    `${patterns} other ${patterns === 1 ? 'pattern has' : 'patterns have'} no recording of ${patterns === 1 ? 'its' : 'their'} own here${healthy === 0 ? '' : `, and no finding in ${healthy === 1 ? 'the healthy one' : `the ${healthy} healthy ones`}`}`,
  differs: 'not all recordings are as labelled',
} as const;
