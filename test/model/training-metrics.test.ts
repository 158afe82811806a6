import { expect, test } from 'vitest';
import { trainingMetric, trainingMetrics } from '../../src/model/telemetry/training-metrics.ts';

test('names of programs are read by their own row of the table', () => {
  const rows = trainingMetrics.flatMap((row) => row.names.map((name) => [name, row] as const));
  expect(rows.map(([name]) => [name, trainingMetric(name, '')?.means ?? null])).toEqual(
    rows.map(([name, { means }]) => [name, means]),
  );
});

test.each([
  // Prometheus has no `/` in names.
  ['train_global_step', '', 'steps', null],
  ['Train/Samples/stage-0/elapsed_time_ms_backward_allreduce', '', 'collective_time', 1],
  ['train_step_timing in s', '', 'step_time', 1000],
  ['iteration-time', '', 'step_time', 1000],
  ['time_metrics/data_loading(s)', '', 'data_wait', 1000],
  ['data_time', '', 'data_wait', null],
  ['train.data_load.time', 'ms', 'data_wait', 1],
  ['dataloader_wait_seconds', '', 'data_wait', 1000],
  ['gen_ai.training.step.duration', 's', 'step_time', 1000],
  ['iteration_time_ms', '', 'step_time', 1],
  ['train_steps_total', '', 'steps', null],
  ['train_comm_wait_seconds_total', '', 'collective_time', 1000],
  ['trainer.allreduce_wait', 'ms', 'collective_time', 1],
])('%s in "%s" measures %s', (metric, unit, means, unit_ms) => {
  expect(trainingMetric(metric, unit)).toMatchObject({ means, unit_ms });
});

test.each([
  // The step of the optimizer, not of the training loop.
  'Train/Samples/elapsed_time_ms_step',
  'train_steps_per_second',
  'eval_step_time_seconds',
  'val/time_metrics/data_loading(s)',
  'train_max_steps',
  'http_request_wait_seconds',
  'workflow_queue_wait_seconds',
  'metadata_time',
])('%s measures nothing of a training step', (metric) => {
  expect(trainingMetric(metric, '')?.means ?? null).toBe(null);
});
