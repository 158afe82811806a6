import type { NamedSpanFact } from '../../../store/facts/reader.ts';

/** Names of spans of a training loop: those of PyTorch's profiler, and common manual names. */
const LOAD =
  /dataloader.*__next__|^(load|fetch|next|get)[ _.-]?(data|batch|input)|data[ _.-]?(load(er|ing)?|wait|fetch)$/i;
const STEP = /^ProfilerStep#|^(train(ing)?[ _.-]?)?(step|iteration)\b/i;
const SAVE = /(save|write|store).*checkpoint|checkpoint.*(save|write|store)/i;

export const TRAINING_SPANS = [LOAD, STEP, SAVE].map(({ source }) => `(${source})`).join('|');
export const isLoading = ({ name }: NamedSpanFact): boolean => LOAD.test(name);
export const isStep = ({ name }: NamedSpanFact): boolean => STEP.test(name);
export const isSave = ({ name }: NamedSpanFact): boolean => SAVE.test(name);
