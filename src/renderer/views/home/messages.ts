export const messages = {
  dropZone: 'Drop files to start',
  openFiles: 'Open files',
  openBundle: 'Open a bundle',
  openFolder: 'Open folder',
  openCase: 'Open case',
  demo: 'Demo incident',
  scenarios: {
    title: 'Generated incidents',
    names: {
      'power-sag': 'Power sag',
      'gpu-heat': 'GPU heat',
      batching: 'Batching',
      cache: 'Prefix cache',
      'bad-deploy': 'Bad deploy',
      hang: 'Training hang',
    },
  },
  openArchive: 'Open from archive',
  fleet: 'Fleet',
  connectLive: 'Connect live',
  connecting: 'Connecting',
  formats: (count: number) =>
    `${count} formats, also in folders and archives. You review what was detected before the import.`,
  version: (name: string, version: string) => `${name} ${version}. No data leaves this machine.`,
  diagnostics: 'Copy diagnostics…',
  bundle: {
    title: 'Drop a bundle anywhere to start',
    about:
      'One file (.flb) contains an incident: its recording, its causes and its notes. It is verified and read in this page. To import recordings or capture live, use the desktop app.',
  },
  title: {
    drop: 'Drop telemetry files anywhere to start',
    about:
      'Traces, metrics, logs, power and cooling events, GPU telemetry, topology. Faultline aligns their clocks, detects degraded services, and ranks the causes with a probability.',
    home: 'Home',
  },
  cancel: 'Cancel',
  preview: {
    label: 'The exported post-mortem',
    about: (name: string, key: string | null) =>
      `${name}: the exported post-mortem, ${key === null ? 'not signed' : `signed with the key ${key}…`}. Its rows are still loading.`,
  },
  opening: {
    case: 'Opening the case',
    checking: (done: string, total: string) => `Verifying the hashes: ${done} of ${total}`,
    loading: (done: string, total: string) => `Reading rows: ${done} of ${total}`,
  },
  recent: {
    title: 'Recent cases',
    fromBundle: 'from a bundle, ',
    opened: (time: string) => `opened ${time}`,
    layers: 'Layers',
    layerMissing: 'Nothing of this layer was recorded',
    notRecorded: (layer: string) => `${layer} not recorded`,
    tied: (others: number) => `undecided, with ${others} more as probable`,
    noIncident: 'No service was degraded.',
    moreIncidents: (count: string) => `and ${count} more incidents`,
    extent: (start: string, duration: string) => `${start}, for ${duration}`,
    source: 'source',
    sources: 'sources',
    reject: 'reject',
    rejects: 'rejects',
    moreSources: (count: string) => `and ${count} more sources`,
  },
  gpu: 'GPU',
  on: (type: string, subject: string) => `${type} on ${subject}`,
  columns: {
    source: 'Source',
    format: 'Format',
    rows: 'Rows',
    rejects: 'Rejects',
  },
} as const;
