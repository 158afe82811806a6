import type { LoopNames, NamedSpanFact } from '../../../store/facts/reader.ts';

const CASE_OF_NAMES = 'i';

/**
 * Names of spans of a training loop: those of PyTorch's profiler (https://docs.pytorch.org/docs/stable/profiler.html), PyTorch
 * Lightning's (`[pl][profile]run_training_batch`) and tf.data's (`IteratorGetNext`), and names that people give. They are read by
 * DuckDB too, so they look neither ahead nor back.
 */
const STEP =
  /^ProfilerStep#|^((train(ing)?|global|forward_backward)[ _./-]?)?(step|iteration|iter)([^a-z]|$)|run_training_batch|^train(ing)?[ _.-](step|iter|batch)/;
const LOADER = /data[ _.-]?loader.*next|next.*data[ _.-]?loader|iterator[ _.:]*get[ _.]?next/;
const LOAD = new RegExp(
  [
    LOADER.source,
    /(^|[^a-z])(load|fetch|next|get|read|wait([ _.-]?for)?)[ _.-]?(next[ _.-]?)?(data|batch|input)(es|s)?[ _#.-]*\d*$/
      .source,
    /(^|[^a-z])(mini)?(data|batch|input)[ _.-]?(load(er|ing)?|wait(ing)?|fetch(ing)?|stall)[ _#.-]*\d*$/.source,
    /(^|[^a-z])data([ _.-]?load(ing)?)?[ _.-]?time$/.source,
  ].join('|'),
);
const EVALUATION =
  /(^|[^a-z])(eval|evaluat(e|ion|or|ing)|val|valid|validat(e|ion|or|ing)|test(ing)?|predict(ion)?)([^a-z]|$)/;
/**
 * Lines of MMEngine and Detectron2 (`time: 0.65  data_time: 0.31`), of torchvision's references (`time: 0.40  data: 0.0003`) and of
 * PyTorch's examples (`Time  0.352 ( 0.923)  Data  0.010 ( 0.380)`).
 */
const LOAD_IN_LINE = /(?:^|[\s,;|{"'])data(?:[ _](?:load(?:ing)?[ _])?time)?["']?(?:\s*[:=]\s*|\s+)(\d{1,9}\.\d{1,9})/;
const STEP_IN_LINE =
  /(?:^|[\s,;|{"'])(?:(?:step|iter|iteration|batch)[ _])?time["']?(?:\s*[:=]\s*|\s+)(\d{1,9}\.\d{1,9})/;
/** Not of one that is restored. */
const SAVE = /(sav|writ|(^|[^e])stor)(e|ing).*checkpoint|checkpoint.*(sav|writ|(^|[^e])stor)(e|ing)/;

export const loopNames: LoopNames = {
  steps: STEP.source,
  loads: LOAD.source,
  evaluations: EVALUATION.source,
  loaders: LOADER.source,
  load_in_line: LOAD_IN_LINE.source,
  step_in_line: STEP_IN_LINE.source,
};

export const SAVES = SAVE.source;
const saves = new RegExp(SAVES, CASE_OF_NAMES);
export const isSave = ({ name }: NamedSpanFact): boolean => saves.test(name);
