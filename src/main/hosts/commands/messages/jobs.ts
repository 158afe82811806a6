export const messages = {
  summary: 'training jobs: their ranks, state, and who waited for whom',
  usage: `faultline jobs CASE [--rates FILE | --gpu-rate USD] [--json]
  --rates  prices per GPU and hour, as in docs/rates.example.yaml; without it those that were chosen for the case`,
  none: 'No training job in this case: neither ranks, nor training steps, nor single collective operations are recorded. Metrics of collectives alone are judged by the patterns.',
  left: (more: number) => `… and ${more} more; --json lists up to 200`,
  unnamed: (folder: string) => `unnamed job${folder === '' ? '' : ` (${folder})`}`,
  ranks: (ranks: number, withSteps: number, hosts: number) =>
    `${ranks} ${ranks === 1 ? 'rank or process' : 'ranks'}, ${withSteps} with steps; ${hosts === 0 ? 'machines not recorded' : `${hosts} ${hosts === 1 ? 'machine' : 'machines'}`}`,
  noTimes: 'no record of the job or a rank itself has a time',
  until: (from: string, to: string) => `${from} to ${to}`,
  steps: (last: string, usual: string) => `last step ${last}, median time of a step ${usual}`,
  noNumber: 'without a number',
  marks: (restarts: number, checkpoints: number) => `${restarts} restarts or steps back, ${checkpoints} checkpoints`,
  of: {
    gpus: (count: number) => `${count} ${count === 1 ? 'GPU' : 'GPUs'}`,
    pods: (count: number) => `${count} ${count === 1 ? 'GPU' : 'GPUs'} that its pods ask for`,
    ranks: (count: number) => `${count} ${count === 1 ? 'rank' : 'ranks'}, each with a GPU of its own`,
  },
  idle: (hours: string, of: string) => `${hours} GPU hours without a step (${of})`,
  repeated: (hours: string, time: string) => `${hours} GPU hours to do again since the checkpoint of ${time}`,
  noCheckpoint: 'no checkpoint is recorded, so what has to be done again is unknown',
  labels: {
    lost: 'lost',
    cost: 'cost',
    ranks: 'ranks',
    records: 'records',
    steps: 'steps',
    marks: 'marks',
    waited: 'waited for',
  },
  reasons: {
    in_collective: 'ranks wait in a collective operation, and nothing shows that they went on, since',
    counter_stands:
      'the metric that counts its steps is still collected and has not grown (it hangs, evaluates or saves for long, or has ended), since',
    done: 'a log line states that all steps are done,',
    failed: 'records state that it, or a rank of it, failed,',
    cancelled: 'a record states that somebody or a limit ended it,',
    gpus_idle: 'its spans end and its GPUs are idle since',
    steps_to_end: 'steps to the end of the recording, last',
    operations_to_end: 'without steps it is unknown whether it went on; collective operations are recorded to',
    quiet: 'nothing shows progress after',
    silent: 'the recording goes on, and nothing shows progress after',
    no_progress: 'neither steps nor completed operations are recorded',
  },
  late: (late: number, operations: number, lost: string, group: string) =>
    `came last into ${late} of ${operations} operations${group === '' ? '' : ` of ${group}`}; a usual rank waited ${lost} for it`,
  stopped: (own: string, others: string, since: string) =>
    `no step of it is recorded after ${own === '' ? '' : `step ${own} of `}${since}, while others went on${others === '' ? '' : ` to step ${others}`}`,
  slow: (times: string, since: string) =>
    `its steps took ${times === '' ? 'longer than' : `${times} times as long as`} before since ${since}, those of most other ranks did not`,
  runsOn: (place: string) => `runs on ${place}`,
  more: (count: number) => `… and ${count} more`,
} as const;
