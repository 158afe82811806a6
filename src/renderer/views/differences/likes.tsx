import { useMemo, useState } from 'react';
import type { Difference } from '../../../model/contract/index.ts';
import { messages } from './messages.ts';

/** Differences that stand for others like them. */
export interface Likes {
  /** How many are like a difference, by its id. */
  readonly counts: ReadonlyMap<string, number>;
  /** Ids of those whose others are shown. */
  readonly open: ReadonlySet<string>;
  readonly toggle: (id: string) => void;
}

/** What leads, and what of it is unfolded. */
export function useLikes(rows: readonly Difference[]): Likes {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  return useMemo(() => {
    const counts = new Map<string, number>();
    for (const { like } of rows) if (like !== null) counts.set(like, (counts.get(like) ?? 0) + 1);
    const toggle = (id: string) =>
      setOpen((before) =>
        before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id]),
      );
    return { counts, open, toggle };
  }, [rows, open]);
}

/** `and 31 like it`: unfolds them. */
export function LikeButton({ difference, likes }: { readonly difference: Difference; readonly likes: Likes }) {
  const { id, like } = difference;
  const count = likes.counts.get(id) ?? 0;
  if (like !== null || count === 0) return null;
  const isOpen = likes.open.has(id);
  return (
    <button
      type="button"
      className="link like-button"
      aria-expanded={isOpen}
      title={messages.likes.title}
      onClick={(event) => {
        event.stopPropagation();
        likes.toggle(id);
      }}
    >
      {isOpen ? messages.likes.fold : messages.likes.more(count)}
    </button>
  );
}
