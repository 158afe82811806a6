import type { NamePair } from '../../model/contract/index.ts';
import { problemOf } from '../client/problem-of.ts';
import { client } from './client.ts';
import { reloadConclusions } from './conclusions.ts';
import { messages } from './messages.ts';
import { notify, showError } from './toasts.ts';
import { noteAdded } from './unsaved.ts';

/** Separates two entities that share a name, or merges them again; every view reloads. */
export async function decideNames(pair: NamePair, apart: boolean): Promise<void> {
  try {
    await client().call(apart ? 'names.hold_apart' : 'names.rejoin', pair);
    noteAdded();
    await reloadConclusions();
    notify(apart ? messages.namesSeparated : messages.namesMerged);
  } catch (error) {
    showError(problemOf(error));
  }
}
