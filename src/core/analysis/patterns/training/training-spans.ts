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
const SAVE = /(save|write|store).*checkpoint|checkpoint.*(save|write|store)/;

export const loopNames: LoopNames = {
  steps: STEP.source,
  loads: LOAD.source,
  evaluations: EVALUATION.source,
  loaders: LOADER.source,
};

export const SAVES = SAVE.source;
const saves = new RegExp(SAVES, CASE_OF_NAMES);
export const isSave = ({ name }: NamedSpanFact): boolean => saves.test(name);
