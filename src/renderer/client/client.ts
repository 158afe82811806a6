import type { Contract, Input, Output, ProcedureName } from '../../model/contract/index.ts';
import { ProblemError } from '../../model/problem.ts';
import { isAbort, problemOf } from './problem-of.ts';
import type { Link } from './transport.ts';

type NamesOf<K extends 'call' | 'stream'> = {
  [N in ProcedureName]: Contract[N]['kind'] extends K ? N : never;
}[ProcedureName];
export type CallName = NamesOf<'call'>;
export type StreamName = NamesOf<'stream'>;

/** The client of the views; every failure is a ProblemError or an abort. */
export interface Client {
  call<N extends CallName>(name: N, input: Input<N>, signal?: AbortSignal): Promise<Output<N>>;
  stream<N extends StreamName>(name: N, input: Input<N>, signal?: AbortSignal): AsyncGenerator<Output<N>, void, void>;
}

const translate = (error: unknown): unknown => (isAbort(error) ? error : new ProblemError(problemOf(error)));

const optionsOf = (signal: AbortSignal | undefined) => (signal ? { signal, context: {} } : { context: {} });

export function createClient(link: Link, onAnswer: (name: ProcedureName, milliseconds: number) => void): Client {
  return {
    async call(name, input, signal) {
      const started = performance.now();
      try {
        const answer = await link.call([name], input, optionsOf(signal));
        onAnswer(name, performance.now() - started);
        return answer as Output<typeof name>;
      } catch (error) {
        throw translate(error);
      }
    },
    async *stream(name, input, signal) {
      try {
        const events = await link.call([name], input, optionsOf(signal));
        yield* events as AsyncIterable<Output<typeof name>>;
      } catch (error) {
        throw translate(error);
      }
    },
  };
}
