import { useEffect, useState } from 'react';
import { type DroppedFile, droppedFiles } from '../client/dropped-files.ts';
import { useCan } from '../state/abilities.ts';
import { useCase } from '../state/case-state.ts';
import { messages } from './messages/import.ts';

const carriesFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;

/** Files can be dropped anywhere at any time. */
export function DropTarget({ onFiles }: { readonly onFiles: (files: readonly DroppedFile[]) => void }) {
  const [over, setOver] = useState(false);
  const name = useCase((state) => state.name);
  const imports = useCan('import');
  useEffect(() => {
    let depth = 0;
    const enter = (event: DragEvent) => {
      if (!carriesFiles(event)) return;
      depth++;
      setOver(true);
    };
    const leave = () => {
      depth = Math.max(0, depth - 1);
      if (depth === 0) setOver(false);
    };
    const hover = (event: DragEvent) => {
      if (carriesFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      event.preventDefault();
      depth = 0;
      setOver(false);
      if (event.dataTransfer) void droppedFiles(event.dataTransfer).then((files) => files.length > 0 && onFiles(files));
    };
    const stop = new AbortController();
    window.addEventListener('dragenter', enter, { signal: stop.signal });
    window.addEventListener('dragleave', leave, { signal: stop.signal });
    window.addEventListener('dragover', hover, { signal: stop.signal });
    window.addEventListener('drop', drop, { signal: stop.signal });
    return () => stop.abort();
  }, [onFiles]);
  if (!over) return null;
  return (
    <div className="drop-target">
      <p>{name && imports ? messages.drop.into(name) : messages.drop.open}</p>
    </div>
  );
}
