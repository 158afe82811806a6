import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { assert } from '../../src/base/assert.ts';

/**
 * The built `faultline serve`, run again and again in this process: on a message with arguments and environment it starts, on
 * `stop` it ends as by a signal. A process of its own compiles the program once more for its first verdict: 2 s of a processor.
 */
export interface Start {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

const home = join(import.meta.dirname, '../../out/main');
const [entry] = readdirSync(join(home, 'chunks')).filter((name) => /^command-line-[^.]+\.js$/.test(name));
assert(entry !== undefined, 'nothing is built');
const { runMain } = (await import(pathToFileURL(join(home, 'chunks', entry)).href)) as {
  runMain(home: string): Promise<void>;
};

// Each start listens anew.
for (const emitter of [process, process.stdout, process.stderr]) emitter.setMaxListeners(0);
// A command listens to the signal that ends it, and seconds later ends its process, which has gone on to the next by then.
let end: (signal: NodeJS.Signals) => void = () => undefined;
const [on, kill] = [process.on.bind(process), process.kill.bind(process)];
process.kill = (pid, signal) => (pid === process.pid && signal === 'SIGTERM') || kill(pid, signal);
process.on = ((event: string, listener: typeof end) => {
  if (event === 'SIGTERM') end = listener;
  else on(event, listener);
  return process;
}) as typeof process.on;

async function serve({ args, env }: Start): Promise<void> {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv.splice(2, Infinity, 'serve', ...args);
  await runMain(home);
  process.send?.({ ended: process.exitCode ?? 0 });
}

on('disconnect', () => process.exit());
on('message', (message: Start | 'stop') => {
  if (message === 'stop') end('SIGTERM');
  else void serve(message);
});
