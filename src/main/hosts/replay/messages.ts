/** Texts of `faultline replay` about the corpus. */
export const messages = {
  noFolder: {
    message: (path: string) => `there is no folder ${path}`,
    hint: 'faultline replay without a folder runs the corpus of Faultline',
  },
  noRecordings: {
    message: 'the folder holds no labelled recordings',
    hint: 'make a folder named after a pattern, with files or folders positive, negative, adjacent, partial; or a folder healthy',
  },
  unknownFolder: {
    message: (name: string) => `the folder ${name} has the name of no pattern`,
    hint: (nearest: string) => `the nearest is ${nearest}; recordings without a fault belong to healthy`,
  },
  unknownRecording: {
    message: (name: string) => `${name} has no label`,
    hint: 'its name must begin with positive, partial, negative or adjacent',
  },
  tooMany: (most: number) => `the folder holds more than ${most} recordings`,
  labelled: (file: string, name: string, fits: number, nearest: string | undefined) =>
    fits === 0
      ? `${file}: there is no recording ${name}${nearest === undefined ? '' : `, the nearest is ${nearest}`}`
      : `${file}: ${name} can be ${fits} recordings: write the whole name`,
  unknownPattern: (recording: string, name: string, nearest: string) =>
    `${recording}: there is no pattern ${name}, the nearest is ${nearest}`,
  contradicts: (recording: string, kind: string, pattern: string) =>
    `${recording}: a recording that is ${kind} cannot expect ${pattern}`,
} as const;
