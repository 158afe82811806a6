import { type Invocation, number, text, UsageError } from './commands/command.ts';

/** What GPUs cost, as YAML: the file of `--rates`, or the one price of `--gpu-rate`; null where neither is given. */
export async function readRates(invocation: Invocation): Promise<string | null> {
  const file = text(invocation, 'rates');
  const flat = number(invocation, 'gpu-rate');
  if (file !== null && flat !== undefined) throw new UsageError('give either --rates or --gpu-rate, not both');
  if (file !== null) return invocation.terminal.readFile(file);
  if (flat === undefined) return null;
  if (flat < 0) throw new UsageError('--gpu-rate cannot be negative');
  return `{version: 1, currency: USD, rates: [{gpu: "*", per_gpu_hour: ${flat}, source: given as --gpu-rate}]}`;
}
