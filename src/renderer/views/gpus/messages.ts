export const messages = {
  differences: {
    label: 'GPUs that differ',
    title: 'Different',
    copy: 'Copy the difference',
    copied: 'Difference',
  },
  compared: {
    unknown: 'unknown',
    partly: (measured: number, all: number) => `unknown; ${measured} of ${all} have samples in this window`,
    none: 'none',
    measured: (measured: number, all: number) => `${measured} of ${all} have samples in this window`,
    comparable: (count: number) => `${count} of them could be compared`,
    alone: (count: number, all: number) => `${count} of ${all} have too few peers`,
  },
  empty: {
    noMetrics: 'No GPU metrics recorded. Import nvidia-smi, dcgm-exporter or NVML (OTLP) data.',
    noSamples: 'No GPU samples in this window. Press F to fit all data.',
    notComparable:
      'No GPU in this window has enough samples and four peers. Select a shorter window, or import samples over several minutes.',
    noDifferences: 'In this window, no GPU differs from its peers, and no group of peers differs from the fleet.',
    noGpus:
      'No GPUs in this case. Import nvidia-smi, dcgm-exporter or NVML (OTLP) data, or kernel logs with Xid errors.',
    noHeatMap:
      'The GPUs in this case have no samples. Import nvidia-smi, dcgm-exporter or NVML (OTLP) data to fill the heat map.',
  },
  columns: {
    gpu: 'GPU',
    metric: 'metric',
    observed: 'observed',
    expected: 'expected',
    peers: 'peers',
    usual: 'usual',
    since: 'since',
  },
  detail: {
    label: 'GPU details',
    timelineTitle: 'Show its lanes in the timeline',
    timeline: 'In the timeline',
    lanes: 'Its lanes',
    noLanes: 'No data of this GPU itself was recorded. Its links and its machine may have data.',
    lanesOf: (gpu: string) => `Lanes of ${gpu}`,
  },
  noWork: 'no service or job known',
  bar: {
    metric: 'heat map of',
    partly: (count: number, all: number) => ` (${count} of ${all})`,
    order: 'sorted by',
    machine: 'machine',
    difference: 'difference',
    count: (count: string, pick: string) => `${count} GPUs; ${pick}`,
  },
  heatMap: (metric: string, count: number) =>
    `${metric} of ${count} GPUs. Arrow keys move through GPUs and times; Shift selects more GPUs; Enter shows a GPU.`,
  title: 'GPUs',
} as const;
