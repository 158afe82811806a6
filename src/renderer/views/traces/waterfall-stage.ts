import type { TraceGroup } from '../../../model/contract/index.ts';
import { sizeCanvas } from '../../draw/canvas/size-canvas.ts';
import { type Palette, readPalette } from '../../draw/canvas/tokens.ts';
import {
  clampTraceGroupWindow,
  type Places,
  type TraceGroupScale,
  type TraceGroupWindow,
  zoomTraceGroup,
} from '../../draw/traces/trace-group-scale.ts';
import {
  paintTraceGroupAxis,
  paintWaterfall,
  pathBySpan,
  ROW_HEIGHT,
  type WaterfallScene,
} from '../../draw/traces/waterfall.ts';
import { isTooFine } from '../../draw/traces/waterfall-band.ts';
import type { WaterfallRows } from '../../draw/traces/waterfall-rows.ts';
import { useFocus } from '../../state/focus.ts';
import { onThemeChange } from '../../state/preferences.ts';

export interface WaterfallElements {
  readonly canvas: HTMLCanvasElement;
  readonly axis: HTMLCanvasElement;
  readonly scroller: HTMLElement;
}

export interface WaterfallInput {
  readonly traceGroup: TraceGroup;
  readonly rows: WaterfallRows;
  readonly places: Places;
  readonly from_ns: number;
  readonly selected: number;
  readonly current: number;
  /** Whether the zoom shows gaps between tokens that are not here. */
  readonly setTooFine: (isTooFine: boolean) => void;
}

const AXIS_PX = 20;

/** Owns the waterfall's canvases: sizes them and paints the visible rows at most once per frame. */
export class WaterfallStage {
  private readonly elements: WaterfallElements;
  private readonly pen: CanvasRenderingContext2D;
  private readonly axisPen: CanvasRenderingContext2D;
  /** First visible row, and one past the last that fits. */
  private readonly onRange: (first: number, end: number) => void;
  private readonly undo: (() => void)[] = [];
  private palette: Palette = readPalette(document.documentElement);
  private input: WaterfallInput | undefined;
  private paths: { readonly of: TraceGroup; readonly bySpan: ReadonlyMap<number, readonly number[]> } | undefined;
  private window: TraceGroupWindow = { from: 0, until: 1 };
  private width = 1;
  private height = 1;
  private frame = 0;
  private readonly followers = new Set<(scale: TraceGroupScale) => void>();
  /** The axis that they painted with. */
  private followed: TraceGroupScale | undefined;

  constructor(elements: WaterfallElements, onRange: (first: number, end: number) => void) {
    this.elements = elements;
    this.onRange = onRange;
    this.pen = elements.canvas.getContext('2d')!;
    this.axisPen = elements.axis.getContext('2d')!;
    const observer = new ResizeObserver(() => this.resize());
    observer.observe(elements.scroller);
    observer.observe(elements.axis.parentElement!);
    const scrolled = () => this.invalidate();
    elements.scroller.addEventListener('scroll', scrolled, { passive: true });
    this.undo.push(
      () => observer.disconnect(),
      () => elements.scroller.removeEventListener('scroll', scrolled),
      onThemeChange(() => {
        this.palette = readPalette(document.documentElement);
        this.invalidate();
      }),
      useFocus.subscribe((now, before) => {
        if (now.playhead !== before.playhead || now.brush !== before.brush) this.invalidate();
      }),
    );
    void document.fonts.ready.then(() => this.invalidate());
  }

  close(): void {
    cancelAnimationFrame(this.frame);
    for (const undo of this.undo) undo();
  }

  /** A new trace group, or another time scale, is shown in full. */
  show(input: WaterfallInput): void {
    const isOther = input.places !== this.input?.places;
    this.input = input;
    if (isOther) this.window = { from: input.places.from, until: input.places.until };
    if (this.paths?.of !== input.traceGroup)
      this.paths = { of: input.traceGroup, bySpan: pathBySpan(input.traceGroup) };
    this.invalidate();
  }

  get scale(): TraceGroupScale | undefined {
    return this.input && { places: this.input.places, window: this.window, width: this.width };
  }

  /** Paints with this axis whenever it changes. @returns to call at the end */
  followScale(paint: (scale: TraceGroupScale) => void): () => void {
    this.followers.add(paint);
    if (this.scale) paint(this.scale);
    return () => this.followers.delete(paint);
  }

  /** A frame that only scrolled leaves them as they are. */
  private follow(scale: TraceGroupScale): void {
    const { followed } = this;
    if (followed?.places === scale.places && followed.window === scale.window && followed.width === scale.width) return;
    this.followed = scale;
    for (const paint of this.followers) paint(scale);
  }

  setWindow(window: TraceGroupWindow): void {
    if (!this.input) return;
    this.window = clampTraceGroupWindow(window, this.input.places);
    this.invalidate();
  }

  /** Around a share of the width. */
  zoom(factor: number, share = 0.5): void {
    if (!this.input) return;
    const anchor = this.window.from + (this.window.until - this.window.from) * share;
    this.setWindow(zoomTraceGroup(this.window, anchor, factor, this.input.places));
  }

  pan(fraction: number): void {
    const by = (this.window.until - this.window.from) * fraction;
    this.setWindow({ from: this.window.from + by, until: this.window.until + by });
  }

  fit(): void {
    if (this.input) this.setWindow({ from: this.input.places.from, until: this.input.places.until });
  }

  /** Scrolls a row into view, with some context. */
  reveal(row: number): void {
    const { scroller } = this.elements;
    const top = row * ROW_HEIGHT;
    const around = Math.min(2 * ROW_HEIGHT, scroller.clientHeight / 4);
    if (top < scroller.scrollTop + around) scroller.scrollTop = Math.max(0, top - around);
    else if (top + ROW_HEIGHT > scroller.scrollTop + scroller.clientHeight - around)
      scroller.scrollTop = top + ROW_HEIGHT - scroller.clientHeight + around;
  }

  private resize(): void {
    this.width = Math.max(1, this.elements.axis.parentElement!.clientWidth);
    this.height = Math.max(1, this.elements.scroller.clientHeight);
    this.invalidate();
  }

  private invalidate(): void {
    if (this.frame === 0) this.frame = requestAnimationFrame(() => this.paint());
  }

  private paint(): void {
    this.frame = 0;
    const { input, scale } = this;
    if (!input || !scale) return;
    const pixelRatio = window.devicePixelRatio || 1;
    const { canvas, axis, scroller } = this.elements;
    const { scrollTop } = scroller;
    const first = Math.max(0, Math.floor(scrollTop / ROW_HEIGHT));
    const end = Math.min(input.rows.rows.length, Math.ceil((scrollTop + this.height) / ROW_HEIGHT));
    sizeCanvas(canvas, this.width, this.height, pixelRatio);
    sizeCanvas(axis, this.width, AXIS_PX, pixelRatio);
    const scene: WaterfallScene = {
      ...input,
      scale,
      first,
      end,
      scrollTop,
      height: this.height,
      palette: this.palette,
      pixelRatio,
      playhead_ns: playheadIn(input.traceGroup),
      brush_ns: brushIn(input.traceGroup),
      pathOf: this.paths?.bySpan ?? new Map(),
    };
    paintWaterfall(this.pen, scene);
    paintTraceGroupAxis(this.axisPen, scene, AXIS_PX);
    this.follow(scale);
    input.setTooFine(isTooFine(input.traceGroup, scale));
    this.onRange(first, first + Math.ceil(this.height / ROW_HEIGHT) + 1);
  }
}

function brushIn({ origin_ns }: TraceGroup): WaterfallScene['brush_ns'] {
  const { brush } = useFocus.getState();
  if (brush === null || origin_ns === null) return null;
  return { from: Number(brush.startNs - origin_ns), until: Number(brush.endNs - origin_ns) };
}

function playheadIn({ origin_ns }: TraceGroup): number | null {
  const { playhead } = useFocus.getState();
  return playhead === null || origin_ns === null ? null : Number(playhead - origin_ns);
}
