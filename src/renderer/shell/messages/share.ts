import { shortList } from '../../../model/incident/chain-folds.ts';

export const messages = {
  export: {
    label: 'Export',
    title: 'Exporting the window',
    rowsWritten: 'Rows written',
    progress: (done: string, total: string) => `${done} of ${total} rows`,
  },
  cancel: 'Cancel',
  title: 'Share',
  titleOf: (name: string) => `Share ${name}`,
  about: 'One file that opens in Faultline on any machine, with the same verdicts.',
  browserOnly:
    'The entire case with your changes, unsigned. The desktop app and the command line can also cut, redact and sign it.',
  inspecting: 'Analysing the case',
  failed: 'No bundle was written',
  preview: 'Preview',
  close: 'Close',
  save: 'Save the bundle',
  stages: {
    tables: 'Writing tables',
    judging: 'Ranking the exported part',
    redacting: 'Replacing names',
    sealing: 'Sealing the bundle',
  },
  range: (from: string, to: string, zone: string) => `${from} to ${to} ${zone}`,
  extent: {
    title: 'Scope',
    whole: 'Entire case',
    cut: (time: string, entities: readonly string[]) =>
      `Current focus: ${time}${entities.length > 0 ? `, ${shortList(entities)}` : ''}`,
    cutHint:
      'The bundle also includes the data that its verdicts depend on: the minutes before each incident, and linked entities. The bundle and its report state that it is a cut.',
  },
  names: {
    title: 'Names',
    replace: 'Replace names and addresses; an entity gets the same new name everywhere',
    rules: 'Rules',
    count: (count: string, first: number | null) => `${count} names${first === null ? '' : `, first ${first} shown`}`,
    original: 'In this case',
    replaced: 'In the bundle',
    samples: 'Sample texts of each kind',
  },
  signature: {
    title: 'Signature',
    key: 'Key in the keychain of this system',
    placeholder: 'none: not signed',
    hint: 'An Ed25519 key, stored with: faultline secret set NAME < key.pem',
  },
  previewRows: (rows: string, total: string, kinds: string) => `${rows} of ${total} rows: ${kinds}`,
  result: 'Result',
  written: (rows: string, size: string, key: string | null) =>
    `: ${rows} rows, ${size} MiB. ${key === null ? 'Not signed.' : `Signed with the key ${key}….`}`,
  rootHash: 'Root hash, to send to the recipient by another channel:',
  verdictChanged: (change: string) => `▲ Without the excluded data, the verdict changes: ${change}`,
} as const;
