import { ORPCError, os } from '@orpc/server';
import { type Api, type CallContext, contract, PROBLEM_CODE, type ProcedureName } from '../model/contract/index.ts';
import { ProblemError } from '../model/problem.ts';

/** An expected failure crosses as its Problem; anything else is a bug and crosses as one plain line, no stack. */
function translate(error: unknown): never {
  if (error instanceof ProblemError) {
    throw new ORPCError(PROBLEM_CODE, { status: 422, message: error.problem.message, data: error.problem });
  }
  throw new ORPCError('INTERNAL_SERVER_ERROR', { message: error instanceof Error ? error.message : 'unknown error' });
}

async function* guard(events: AsyncIterable<unknown>): AsyncGenerator<unknown, void, void> {
  try {
    yield* events;
  } catch (error) {
    translate(error);
  }
}

/** Handed to the RPC library with each connection: one window has one. */
export interface WindowContext {
  readonly window: string;
}
/** Node and browsers share it; the language does not have it. */
const newId = (): string => (globalThis as unknown as { crypto: { randomUUID(): string } }).crypto.randomUUID();
export const newWindow = (): { readonly context: WindowContext } => ({ context: { window: newId() } });

/** The Api as routes of the RPC library: one flat route per contract name, the same for every transport. */
export function createRoutes(api: Api) {
  const routes: Record<string, ReturnType<typeof route>> = {};
  for (const name of Object.keys(contract) as ProcedureName[]) routes[name] = route(api, name);
  return routes;
}

function route(api: Api, name: ProcedureName) {
  return os.$context<WindowContext>().handler(async ({ input, signal, context }) => {
    const call = api[name] as (input: unknown, context: CallContext) => unknown;
    try {
      const answer = call(input ?? {}, { signal, window: context.window });
      return contract[name].kind === 'stream' ? guard(answer as AsyncIterable<unknown>) : await answer;
    } catch (error) {
      return translate(error);
    }
  });
}
