import { type Invocation, number, text, UsageError } from './commands/command.ts';
import { messages } from './commands/messages/report.ts';

/** GPU prices as YAML: the file of `--rates`, or the one price of `--gpu-rate`; null without both. */
export async function readRates(invocation: Invocation): Promise<string | null> {
  const file = text(invocation, 'rates');
  const flat = number(invocation, 'gpu-rate');
  if (file !== null && flat !== undefined) throw new UsageError(messages.ratesTwice);
  if (file !== null) return invocation.terminal.readFile(file);
  if (flat === undefined) return null;
  if (flat < 0) throw new UsageError(messages.negativeRate);
  return `{version: 1, currency: USD, rates: [{gpu: "*", per_gpu_hour: ${flat}, source: ${messages.rateSource}}]}`;
}
