import type { CaseChange, Output } from '../../model/contract/index.ts';
import { isDrawn, refreshAnnotations } from './annotations.ts';
import { useCase } from './case-state.ts';
import { client } from './client.ts';
import { loadLanes, reloadConclusions } from './conclusions.ts';
import { useImport } from './import-state.ts';
import { annotationList } from './known.ts';
import { isRecording, useLive } from './live.ts';
import { liveRowsCame } from './live-refresh.ts';
import { takeLiveRows } from './live-rows.ts';

/** Keeps this window up to date with other windows on the same case. */
export async function catchUp(
  { kind, of }: CaseChange,
  showCase: (info: Output<'case.current'>) => Promise<void>,
): Promise<void> {
  // An import of this window updates it when it is done.
  if (kind === 'following' || useImport.getState().phase === 'importing') return;
  if (kind === 'annotations') return catchUpAnnotations();
  const before = useCase.getState().name;
  const info = await client().call('case.current', {});
  const shown = useCase.getState().name;
  // This window has moved to another case meanwhile.
  if (kind === 'rows' && shown !== before) return;
  if (kind === 'case' || (info?.name ?? null) !== shown) return showCase(info);
  if (isRecording(useLive.getState())) {
    liveRowsCame(of ?? null);
    takeLiveRows();
  } else await reloadConclusions();
}

/** An edited link or clock may have changed the ranking too. */
async function catchUpAnnotations(): Promise<void> {
  const bearsOnRanking = () => annotationList().some(({ kind }) => kind === 'edge' || kind === 'clock');
  const drawn = () =>
    JSON.stringify(
      annotationList()
        .filter(isDrawn)
        .map(({ id, ...one }) => [id, one.kind === 'query' ? [one.sql, one.lane] : []]),
    );
  const did = bearsOnRanking();
  const before = drawn();
  await refreshAnnotations();
  if (did || bearsOnRanking()) await reloadConclusions();
  else if (drawn() !== before) await loadLanes();
}
