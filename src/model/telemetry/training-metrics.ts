import { convertUnit } from '../../base/convert-unit.ts';

/**
 * What a metric of a training program measures. `steps`: how many were done. `step_time`: how long one took. `loop_time`: the same by a
 * name that other programs use too, so that it counts only beside a `data_wait` of the same process. `data_wait`: how long a step waited
 * for data. `collective_time`: time in collective operations, of which the rank that comes last spends least.
 */
export type TrainingMeaning = 'steps' | 'step_time' | 'loop_time' | 'data_wait' | 'collective_time';

interface TrainingMetric {
  /** Of the name in lower case, with an underscore for all else than letters and digits: W&B and TensorBoard write `/` and `(s)`. */
  readonly words: RegExp;
  /** Names with these words mean something else. */
  readonly except?: RegExp;
  /** null: nothing that is compared, such as a part of a step. */
  readonly means: TrainingMeaning | null;
  /** Of the values, where neither the series nor the end of the name states it; '': unknown. */
  readonly unit: string;
  /** Who writes it, as names for people. */
  readonly source: string;
  /** Names as the program writes them; none: people choose such names. */
  readonly names: readonly string[];
}

const EVALUATION = /(^|_)(eval|val|valid|validat(e|ion|or)|test)(_|$)/;
const UNIT = '(_(s|sec|seconds|ms|milliseconds))?$';

/** The first one that has the words counts: those of programs by their documentation or source, then the words that people choose. */
export const trainingMetrics: readonly TrainingMetric[] = [
  {
    words: /(^|_)elapsed_time_ms_backward_allreduce$/,
    means: 'collective_time',
    unit: 'ms',
    source: 'DeepSpeed monitor',
    names: ['Train/Samples/elapsed_time_ms_backward_allreduce'],
  },
  {
    // `step` is the step of the optimizer alone.
    words: /(^|_)elapsed_time_ms_(forward|backward|backward_inner|step)$/,
    means: null,
    unit: 'ms',
    source: 'DeepSpeed monitor',
    names: ['Train/Samples/elapsed_time_ms_forward', 'Train/Samples/elapsed_time_ms_step'],
  },
  { words: /^iteration_time$/, means: 'step_time', unit: 's', source: 'Megatron-LM', names: ['iteration-time'] },
  {
    words: /(^|_)train_step_timing(_in_s)?$/,
    means: 'step_time',
    unit: 's',
    source: 'NeMo',
    names: ['train_step_timing in s'],
  },
  {
    words: /(^|_)time_this_iter_s$/,
    means: 'step_time',
    unit: 's',
    source: 'Ray Train',
    names: ['time_this_iter_s'],
  },
  {
    words: /(^|_)training_iteration$/,
    means: 'steps',
    unit: '1',
    source: 'Ray Train',
    names: ['training_iteration'],
  },
  {
    words: /(^|_)trainer_global_step$/,
    means: 'steps',
    unit: '1',
    source: 'PyTorch Lightning',
    names: ['trainer/global_step'],
  },
  {
    words: /(^|_)train_global_step$/,
    means: 'steps',
    unit: '1',
    source: 'Hugging Face Trainer',
    names: ['train/global_step'],
  },
  {
    words: /(^|_)perf_step_time_seconds$/,
    means: 'step_time',
    unit: 's',
    source: 'MaxText',
    names: ['perf/step_time_seconds'],
  },
  {
    words: /(^|_)time_metrics_end_to_end_s$/,
    except: EVALUATION,
    means: 'loop_time',
    unit: 's',
    source: 'TorchTitan',
    names: ['time_metrics/end_to_end(s)'],
  },
  {
    words: /(^|_)time_metrics_data_loading_s$/,
    except: EVALUATION,
    means: 'data_wait',
    unit: 's',
    source: 'TorchTitan',
    names: ['time_metrics/data_loading(s)'],
  },
  { words: /(^|_)train_time$/, means: 'loop_time', unit: '', source: 'MMEngine', names: ['train/time'] },
  { words: /(^|_)train_data_time$/, means: 'data_wait', unit: '', source: 'MMEngine', names: ['train/data_time'] },
  {
    words: new RegExp(`(^|_)data(_?load(ing|er)?)?_?(wait_time|time|wait|duration)${UNIT}`),
    except: EVALUATION,
    means: 'data_wait',
    unit: '',
    source: 'a wait for data',
    names: [],
  },
  {
    words:
      /^(?=.*wait).*(nccl|rccl|collective|barrier|all_?reduce|all_?gather|reduce_?scatter|(^|_)(sync|comm|communication|peers?|ranks?)_)/,
    means: 'collective_time',
    unit: '',
    source: 'a wait in collective operations',
    names: [],
  },
  {
    words: /(train|global|optimi[sz]er).*(step|iteration)s?(_(total|count|number|completed))?$/,
    except: /eval|valid|test|per_|time|duration|max|warm|rate/,
    means: 'steps',
    unit: '1',
    source: 'a number of training steps',
    names: [],
  },
  {
    words: /^(?=.*(^|_)(step|iteration|iter)s?(_|$)).*(time|duration|latency|second|millis|_ms$)/,
    except:
      /eval|valid|test|per_|max|min_|warm|rate|load|fetch|data|forward|backward|optimi|checkpoint|save|wait|idle|remain|timestamp|total$/,
    means: 'step_time',
    unit: '',
    source: 'the time of a training step',
    names: [],
  },
  {
    words: new RegExp(
      `(^|_)((step|iter|iteration|batch)_?(time|duration)|time_per_(step|iteration|iter|batch))${UNIT}`,
    ),
    except: EVALUATION,
    means: 'loop_time',
    unit: '',
    source: 'the time of a step beside a wait for data',
    names: [],
  },
];

/** A metric of a case that a training program wrote. */
export interface KnownTrainingMetric {
  /** As its series name it, with the unit that they state. */
  readonly metric: string;
  readonly unit: string;
  readonly means: TrainingMeaning;
  /** Milliseconds of a value of 1; null: its unit is unknown, or no time. */
  readonly unit_ms: number | null;
  /** Whether values are sums since the program began, by the name; the series may be a gauge. */
  readonly sums: boolean;
}

/** The word that people write for a unit of time, as UCUM. */
const written: Readonly<Record<string, string>> = { seconds: 's', sec: 's', milliseconds: 'ms', millis: 'ms' };
const SUMS = /(^|_)(total|cumulative|accumulated|sum)(_|$)/;
const UNIT_AT_END = /_(seconds|sec|s|milliseconds|millis|ms|us|ns)(_total)?$/;

/** What a metric means to a training job; undefined: nothing that this product compares. @param unit as its series state it; '': none */
export function trainingMetric(metric: string, unit: string): KnownTrainingMetric | undefined {
  const name = metric
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
  const known = trainingMetrics.find(({ words, except }) => words.test(name) && except?.test(name) !== true);
  if (!known?.means) return undefined;
  const stated = unit || UNIT_AT_END.exec(name)?.[1] || known.unit;
  return {
    metric,
    unit,
    means: known.means,
    unit_ms: convertUnit(1, written[stated] ?? stated, 'ms') ?? null,
    sums: SUMS.test(name),
  };
}

const JUDGED: readonly TrainingMeaning[] = ['steps', 'step_time', 'loop_time'];

/** Series that are no steps: the number of steps grows in any case, and their time is judged as the work of the job. */
export function withoutSteps<T extends { readonly metric: string; readonly unit: string }>(series: readonly T[]): T[] {
  const known = new Map<string, boolean>();
  return series.filter(({ metric, unit }) => {
    const key = `${metric} ${unit}`;
    if (!known.has(key)) {
      const means = trainingMetric(metric, unit)?.means;
      known.set(key, means !== undefined && JUDGED.includes(means));
    }
    return !known.get(key);
  });
}
