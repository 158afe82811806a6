import { expect, test } from 'vitest';
import { readStep } from '../../src/main/sources/training-steps/read-step.ts';

test.each<readonly [string, number | undefined, number | undefined]>([
  ['step 120 loss 2.1043 time 0.812s', 120, 0.812],
  ['step=12 loss=1.93 step_time=0.8s', 12, 0.8],
  ['step 7 step_time 3.21s data_time 0.10s', 7, 3.21],
  ['global_step: 4100 | loss: 1.9 | lr: 3e-4 | step time: 812 ms', 4100, 0.812],
  [
    ' [2026-05-01 14:04:20] iteration      120/     500 | consumed samples:  30720 | elapsed time per iteration (ms): 812.3 | learning rate: 1.5E-04 | lm loss: 2.1E+00 |',
    120,
    0.8123,
  ],
  ['steps: 120 loss: 2.1034 iter time (s): 0.812 samples/sec: 315.2', 120, 0.812],
  [
    '[2026-05-01 14:04:20,123] [INFO] [logging.py:96:log_dist] [Rank 0] step=120, skipped=0, lr=[0.0001], mom=[(0.9, 0.999)], SamplesPerSec=315',
    120,
    undefined,
  ],
  [
    'Epoch 0: :  12%|█▏        | 120/1000 [01:37<11:54, 1.23it/s, v_num=0, reduced_train_loss=2.1, global_step=119.0, train_step_timing in s=0.81]',
    120,
    0.81,
  ],
  [
    'completed step: 12, seconds: 0.813, TFLOP/s/device: 312.1, Tokens/s/device: 5021.9, total_weights: 65536, loss: 9.2',
    12,
    0.813,
  ],
  ['Epoch 1:  24%|##4       | 240/1000 [03:12<10:08,  1.25it/s, loss=2.1, v_num=3]', 240, 0.8],
  [' 12%|█▏        | 60/500 [00:48<05:56,  1.25s/it] train', 60, 1.25],
  ['Iteration: 300, loss: 2.0, 4.0 steps/s', 300, 0.25],
  ['epoch=0/micro_step=960/global_step=120, RunningAvgSamplesPerSec=260.6, CurrSamplesPerSec=260.6', 120, undefined],
  ['Epoch: [3][  120/5005]\tTime  0.812 ( 0.820)\tData  0.010 ( 0.020)\tLoss 6.9e+00 (6.95e+00)', 120, undefined],
  [
    'Epoch: [3]  [ 120/5005]  eta: 1:02:03  lr: 0.1  img/s: 300.1  loss: 6.9 (6.95)  time: 0.8120  data: 0.0003',
    120,
    undefined,
  ],
  ['iter 300: loss 2.0412, time 812.30ms, mfu 41.20%', 300, 0.8123],
])('a line about a training step: %s', (line, step, seconds) => {
  const { 'training.step': number, 'training.step.duration': duration } = readStep(line) ?? {};
  expect([number, duration]).toEqual([step, seconds]);
});

test.each([
  'step 3 of the migration took 12 s',
  'validation step 40 loss 2.2',
  'pipeline stage: step "build" finished',
  'Downloading: 45%|####5     | 45/100 [00:12<00:14, 3.8it/s]',
  'iterating over 12 shards',
  'warmup_steps: 2000, lr: 3e-4',
  'max_steps=100000 tokens per batch: 4096',
])('no training step: %s', (line) => {
  expect(readStep(line)).toBeUndefined();
});

test.each([
  ['Training completed. Do not forget to share your model on huggingface.co/models =)'],
  ['`Trainer.fit` stopped: `max_epochs=3` reached.'],
  ['iteration      500/     500 | elapsed time per iteration (ms): 812.3 | lm loss: 2.1E+00 |'],
])('the end of a job: %s', (line) => {
  expect(readStep(line)).toMatchObject({ 'training.done': true });
});

test('a bar that was written over again counts as it was shown last, with what the trainer of Hugging Face prints', () => {
  const bar = (step: number) => `${String(step / 5).padStart(3)}%|▏   | ${step}/500 [00:12<09:48,  1.20s/it]`;
  const printed = "{'loss': 2.5, 'grad_norm': 1.2, 'learning_rate': 4.9e-05, 'epoch': 0.06}";
  const line = `${[0, 5, 10].map(bar).join('\r')}\r${' '.repeat(60)}\r${printed}`;
  const stated = { 'training.step': 10, 'training.step.duration': 1.2, 'training.loss': 2.5 };
  expect(readStep(line)).toEqual(stated);
  expect(readStep(`${Array.from({ length: 400 }, (_, i) => bar(i)).join('\r')}\r${bar(10)}${printed}\r`)).toEqual(
    stated,
  );
  expect(readStep(printed)).toBeUndefined();
});

test('the steps of an epoch are not all of the job', () => {
  expect(readStep('epoch 1 step 500/500 loss 2.1')).toEqual({ 'training.step': 500, 'training.loss': 2.1 });
});
