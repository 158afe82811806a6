import { NeedleSearch } from '../log-events/needle-search.ts';

/** Members that a log record gets when its text is a line about a training step; durations in seconds. */
export interface TrainingStep {
  readonly 'training.step'?: number;
  readonly 'training.step.duration'?: number;
  /** Of the batch; `NaN`, `Infinity` or `-Infinity` as text, for JSON has none. */
  readonly 'training.loss'?: number | string;
  /** The job has done all its steps. */
  readonly 'training.done'?: true;
}

/** Texts of which one is in each line about a step. */
export const stepNeedles: readonly string[] = [
  'step',
  'Step',
  'iteration',
  'Iteration',
  'iter ',
  'iter:',
  'iter=',
  'Iter:',
  'it/s',
  's/it',
  'raining completed',
  'raining finished',
  'poch: [',
];
/** Once for all records: nearly none contains one. */
const search = new NeedleSearch(stepNeedles);
/** Whether a body, from its first to behind its last byte, may be about a training step. */
export const mayStateStep = (bytes: Uint8Array, from: number, to: number): boolean => search.isIn(bytes, from, to);

const inText = new RegExp(stepNeedles.join('|').replaceAll('[', String.raw`\[`));
/** The same of a text that was read already. */
export const mayTextStateStep = (text: string): boolean => inText.test(text);

const LONGEST = 1000;
const NUMBER = String.raw`(\d{1,9}(?:\.\d{1,9})?(?:e[-+]?\d{1,2})?)`;
/**
 * `step 120`, `global_step: 120`, `iteration 120/ 500` (Megatron-LM), `completed step: 12` (MaxText), `Step: [120/500]`; neither a part of
 * one (DeepSpeed: `micro_step=960/global_step=120`) nor a setting (`warmup_steps: 2000`).
 */
const STEP =
  /(?:^|[^a-z])(?<!(?:micro|warm.?up|sav(?:e|ing)|eval|log(?:ging)?|max|total|num|accum\w{0,8}|decay)[ _-])(?:steps?|iter(?:ation)?)['"]?\s{0,3}[=:#]?\s{0,8}\[?(\d{1,12})(?:\s{0,3}\/\s{0,8}(\d{1,12}))?(?![\d.]*\d)(?! ?m?s\b)/i;
/** A progress bar of tqdm: `120/500 [01:02<03:10, 1.23s/it]`. */
const BAR = /(?:^|[\s|])(\d{1,12})\/\d{1,12} \[[\d:]{1,12}<[\d:?]{1,12},/;
/** PyTorch's own examples: `Epoch: [3][  120/5005]` and `Epoch: [3]  [ 120/5005]  eta: 1:02:03`. They count anew in each epoch. */
const IN_EPOCH = /^\W{0,8}epoch:? ?\[\d{1,6}\]\s{0,4}\[\s{0,8}(\d{1,12})\/\s{0,8}\d{1,12}\]/i;
/** What makes a numbered step one of training. */
const TRAINING =
  /loss|grad_?norm|learning.rate|\blr\b|tokens|samples|tflop|epoch|\btrain|per iteration|(?:step|iter|iteration)[_ ]tim|\b(?:it|steps?)\/s|\bs\/(?:it|step)\b|\bseconds: /i;
/** `loss: 2.31`, `lm loss: 1.02E+01`, `train_loss=nan`, `loss 2.31 (2.40)`, but not `val_loss: 2.1` and not `loss scale: 4096`. */
const LOSS =
  /(?:^|[^a-z_/.-]|train[_/.-])(?:(?:lm|train(?:ing)?|total)[ _])?loss['"]?\s{0,3}[:=]?\s{0,4}([-+]?(?:\d{1,12}(?:\.\d{0,17})?(?:e[-+]?\d{1,3})?|nan|inf(?:inity)?))(?![\w.])/i;
const EVALUATION = /\b(?:eval|valid|test)/i;
const DONE =
  /\btraining (?:is )?(?:completed?|finished|done)\b|`max_(?:epochs|steps)=\d{1,12}` reached|exiting program at iteration/i;

/**
 * How a line states the time of a step: the number and its unit, or the rate. Without a unit it is unknown. First what every such line
 * contains: of most lines the patterns need not be tried, which is half the time of reading one.
 */
const durations: readonly (readonly [
  mark: RegExp,
  pattern: RegExp,
  seconds: (value: number, unit: string) => number,
])[] = [
  // `elapsed time per iteration (ms): 812.3`, `iter time (s): 0.81`, `train_step_timing in s=0.81`
  [
    /(?:\(|in )m?s/i,
    new RegExp(
      String.raw`(?:per (?:iteration|step)|(?:step|iter(?:ation)?)[_ ]tim(?:e|ing)) (?:\(|in )(ms|s)\)?\s?[:=]\s{0,4}${NUMBER}`,
      'i',
    ),
    inUnit,
  ],
  // `step_time=0.8s`, `time 0.812s`, `step time: 812 ms`, but not `data_time 0.1s`
  [
    /time/i,
    new RegExp(
      String.raw`(?:^|[\s,(|{])(?:(?:train(?:ing)?[_ ])?(?:step|iter(?:ation)?)[_ ])?time['"]?\s?[:=]?\s{0,4}${NUMBER}\s?(ms|s)(?:ec(?:onds?)?)?(?![\w/])`,
      'i',
    ),
    (value, unit) => inUnit(value, unit),
  ],
  // `completed step: 12, seconds: 0.81`
  [/seconds/, new RegExp(String.raw`step: \d{1,12}, (seconds): ${NUMBER}`), inUnit],
  // `1.23s/it`, `0.8 s/step`
  [/s(?:ec)?\//, new RegExp(String.raw`${NUMBER}\s?(s)(?:ec)?/(?:it|iter|iteration|step)\b`), inUnit],
  // `3.2it/s`, `3.2 steps/s`
  [/\/s/, new RegExp(String.raw`${NUMBER}\s?(it|iters?|iterations?|steps?)/s`), (value) => 1 / value],
];

function inUnit(value: number, unit: string): number {
  return unit.toLowerCase() === 'ms' ? value / 1000 : value;
}

/**
 * What a log line states of a training step. Wordings of PyTorch programs, Lightning and tqdm, Megatron-LM, DeepSpeed, NeMo,
 * MaxText, Hugging Face. undefined: it is no such line.
 */
export function readStep(body: string): TrainingStep | undefined {
  const text = shownOf(body).slice(0, LONGEST);
  const isDone = DONE.test(text);
  const bar = BAR.exec(text) ?? IN_EPOCH.exec(text);
  const step = bar ?? STEP.exec(text);
  const isStep = step !== null && TRAINING.test(text) && !(EVALUATION.test(text) && !/train/i.test(text));
  if (!isStep) return isDone ? { 'training.done': true } : undefined;
  const seconds = durationOf(text);
  const number = Number(step[1]);
  const loss = lossOf(text);
  // The steps of an epoch begin again with the next one.
  const isLast = bar === null && step[2] !== undefined && number >= Number(step[2]) && !/epoch/i.test(text);
  const stated: { -readonly [member in keyof TrainingStep]: TrainingStep[member] } = { 'training.step': number };
  if (seconds !== undefined) stated['training.step.duration'] = seconds;
  if (loss !== undefined) stated['training.loss'] = loss;
  if (isDone || isLast) stated['training.done'] = true;
  return stated;
}

/** A progress bar that was written over again and again as a terminal shows it last, with what follows; the log of a container keeps all of them. */
function shownOf(body: string): string {
  const written = body.includes('\r') ? body.split('\r') : [];
  const last = written.findLastIndex((part) => BAR.test(part));
  return last < 0 ? body : written.slice(last).join('\r');
}

function lossOf(text: string): number | string | undefined {
  const stated = LOSS.exec(text)?.[1]?.toLowerCase();
  if (stated === undefined) return undefined;
  if (stated.endsWith('nan')) return 'NaN';
  if (stated.includes('inf')) return stated.startsWith('-') ? '-Infinity' : 'Infinity';
  return Number(stated);
}

function durationOf(text: string): number | undefined {
  for (const [mark, pattern, secondsOf] of durations) {
    const match = mark.test(text) ? pattern.exec(text) : null;
    if (!match) continue;
    const [, a = '', b = ''] = match;
    const isUnitFirst = Number.isNaN(Number(a));
    const seconds = secondsOf(Number(isUnitFirst ? b : a), isUnitFirst ? a : b);
    if (seconds > 0 && Number.isFinite(seconds)) return Number(seconds.toPrecision(9));
  }
  return undefined;
}
