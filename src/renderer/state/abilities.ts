import type { HostAbility } from '../../model/storage/host-ability.ts';
import { useCase } from './case-state.ts';

/** Whether the host of this window has an ability; false until that is known. */
export const can = (ability: HostAbility): boolean => useCase.getState().app?.abilities.includes(ability) ?? false;

export const useCan = (ability: HostAbility): boolean =>
  useCase((state) => state.app?.abilities.includes(ability) ?? false);
