import type { KeyboardEvent, PointerEvent } from 'react';

export interface SplitterProps {
  readonly label: string;
  readonly orientation: 'vertical' | 'horizontal';
  readonly value: number;
  readonly min: number;
  readonly max: number;
  /** For right and bottom panes, which grow against the axis. */
  readonly reverse?: boolean;
  readonly onChange: (value: number) => void;
}

/** The edge between two panes, moved by mouse or arrow keys. */
export function Splitter({ label, orientation, value, min, max, reverse = false, onChange }: SplitterProps) {
  const clamp = (next: number) => Math.round(Math.min(Math.max(next, min), max));
  const sign = reverse ? -1 : 1;
  const drag = (down: PointerEvent<HTMLDivElement>) => {
    const target = down.currentTarget;
    const from = orientation === 'vertical' ? down.clientX : down.clientY;
    target.setPointerCapture(down.pointerId);
    const move = (event: globalThis.PointerEvent) =>
      onChange(clamp(value + sign * ((orientation === 'vertical' ? event.clientX : event.clientY) - from)));
    const stop = () => {
      target.removeEventListener('pointermove', move);
      target.removeEventListener('lostpointercapture', stop);
    };
    target.addEventListener('pointermove', move);
    target.addEventListener('lostpointercapture', stop);
  };
  const step = (event: KeyboardEvent) => {
    const forward = orientation === 'vertical' ? 'ArrowRight' : 'ArrowDown';
    const backward = orientation === 'vertical' ? 'ArrowLeft' : 'ArrowUp';
    if (event.key !== forward && event.key !== backward) return;
    event.preventDefault();
    event.stopPropagation();
    onChange(clamp(value + sign * (event.key === forward ? 16 : -16)));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a movable separator is a widget, which hr cannot be
    <div
      className={`splitter ${orientation}`}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={orientation}
      aria-valuenow={value}
      aria-valuemin={min}
      aria-valuemax={max}
      onPointerDown={drag}
      onKeyDown={step}
    />
  );
}
