import { useCase } from './case-state.ts';
import { messages } from './messages.ts';
import { prefer, usePreferences } from './preferences.ts';
import { notify } from './toasts.ts';

const caseName = (): string => useCase.getState().name ?? '';

function change(next: (lanes: readonly string[]) => readonly string[]): void {
  const { hidden } = usePreferences.getState();
  prefer({ hidden: { ...hidden, [caseName()]: next(hidden[caseName()] ?? []) } });
}

/** Takes a lane off the timeline until it is shown again. */
export function hideLane(id: string, name: string): void {
  change((lanes) => [...lanes.filter((one) => one !== id), id]);
  notify(messages.laneHidden(name), {
    title: messages.showAgain,
    run: () => change((lanes) => lanes.filter((one) => one !== id)),
  });
}

export const showHiddenLanes = (): void => change(() => []);
