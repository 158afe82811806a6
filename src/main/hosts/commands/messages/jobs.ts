export const messages = {
  summary: 'training jobs: their ranks, state, and who waited for whom',
  usage: 'faultline jobs CASE [--json]',
  none: 'No training job in this case: neither ranks, nor training steps, nor collective operations are recorded.',
  left: (more: number) => `… and ${more} more; --json lists up to 200`,
  unnamed: (folder: string) => `unnamed job${folder === '' ? '' : ` (${folder})`}`,
  ranks: (ranks: number, withSteps: number, hosts: number) =>
    `${ranks} ${ranks === 1 ? 'rank or process' : 'ranks'}, ${withSteps} with steps; ${hosts === 0 ? 'machines not recorded' : `${hosts} ${hosts === 1 ? 'machine' : 'machines'}`}`,
  noTimes: 'no record of it has a time',
  until: (from: string, to: string) => `${from} to ${to}`,
  steps: (last: string, usual: string) => `last step ${last}, median time of a step ${usual}`,
  noNumber: 'without a number',
  marks: (restarts: number, checkpoints: number) => `${restarts} restarts or steps back, ${checkpoints} checkpoints`,
  labels: { ranks: 'ranks', records: 'records', steps: 'steps', marks: 'marks', waited: 'waited for' },
  reasons: {
    in_collective: 'ranks wait in a collective operation, and nothing shows that they went on, since',
    done: 'a log line states that all steps are done,',
    gpus_idle: 'its spans end and its GPUs are idle since',
    steps_to_end: 'steps to the end of the recording, last',
    operations_to_end: 'without steps it is unknown whether it went on; collective operations are recorded to',
    quiet: 'nothing shows progress after',
    silent: 'the recording goes on, and nothing shows progress after',
    no_progress: 'neither steps nor completed operations are recorded',
  },
  late: (late: number, operations: number, lost: string, group: string) =>
    `came last into ${late} of ${operations} operations${group === '' ? '' : ` of ${group}`}; a usual rank waited ${lost} for it`,
  runsOn: (place: string) => `runs on ${place}`,
  more: (count: number) => `… and ${count} more`,
} as const;
