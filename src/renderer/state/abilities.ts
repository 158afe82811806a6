import type { HostAbility } from '../../model/storage/host-ability.ts';
import { useCase } from './case-state.ts';

/** Whether this window's host can do it; nothing is offered before that is known. */
export const can = (ability: HostAbility): boolean => useCase.getState().app?.abilities.includes(ability) ?? false;

export const useCan = (ability: HostAbility): boolean =>
  useCase((state) => state.app?.abilities.includes(ability) ?? false);
