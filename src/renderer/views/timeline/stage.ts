import type { IncidentView } from '../../../model/contract/index.ts';
import type { Nanos } from '../../../model/time.ts';
import { axisTicks } from '../../draw/canvas/axis.ts';
import { pixelColors } from '../../draw/canvas/pixel-colors.ts';
import { type PixelColors, PixelLayer } from '../../draw/canvas/pixel-layer.ts';
import { sizeCanvas } from '../../draw/canvas/size-canvas.ts';
import { timeAt, timeScale, xOf } from '../../draw/canvas/time-scale.ts';
import { type Palette, readPalette } from '../../draw/canvas/tokens.ts';
import type { TimeFormat } from '../../draw/text/format-time.ts';
import { bandPlace } from '../../draw/timeline/bands.ts';
import type { ChainMark } from '../../draw/timeline/chain-arrows.ts';
import { type GlyphSprites, Stacks } from '../../draw/timeline/event-marks.ts';
import { makeGlyphSprites } from '../../draw/timeline/glyph-sprites.ts';
import { indexOfEvent } from '../../draw/timeline/hit.ts';
import type { ImpactSpan } from '../../draw/timeline/impact-columns.ts';
import type { NoteFlag } from '../../draw/timeline/note-flags.ts';
import { paintLanes } from '../../draw/timeline/paint-lanes.ts';
import { type HoverMark, paintOverlay } from '../../draw/timeline/paint-overlay.ts';
import { paintValues, VALUES_PX } from '../../draw/timeline/paint-values.ts';
import { eventLine, type LaneRow, type Layout, visibleRange } from '../../draw/timeline/row-layout.ts';
import { bandRect, eventRect, type LaneEntry, type Scene, type Silence } from '../../draw/timeline/scene.ts';
import { useFocus } from '../../state/focus.ts';
import { liveEdge } from '../../state/follow-live.ts';
import { laneRanges } from '../../state/lane-ranges.ts';
import { onThemeChange, usePreferences } from '../../state/preferences.ts';
import type { LaneStore } from './lane-store.ts';
import { AXIS_PX, paintAxis } from './paint-axis.ts';

export interface StageElements {
  readonly lanes: HTMLCanvasElement;
  readonly overlay: HTMLCanvasElement;
  /** A narrow canvas at the right edge. */
  readonly values: HTMLCanvasElement;
  /** The line under the mouse: moved, not painted. */
  readonly cursor: HTMLElement;
  readonly axis: HTMLCanvasElement;
  readonly scroller: HTMLElement;
}

export interface StageInput {
  readonly layout: Layout;
  readonly incidents: readonly IncidentView[];
  /** Id of the selected incident. */
  readonly incident: string | null;
  readonly format: TimeFormat;
}

const noSilence: readonly Silence[] = [];
const OVERSCAN_PX = 120;

/** Owns the timeline's canvases: sizes them and paints changes at most once per frame. */
export class Stage {
  private readonly pens: Record<'lanes' | 'overlay' | 'values' | 'axis', CanvasRenderingContext2D>;
  private readonly undo: (() => void)[] = [];
  private readonly stacks = new Stacks();
  private readonly layer = new PixelLayer();
  private palette: Palette = readPalette(document.documentElement);
  private colors: PixelColors = pixelColors(this.palette);
  private input: StageInput | undefined;
  private sprites: { readonly ratio: number; readonly made: GlyphSprites } | undefined;
  private silences: ReadonlyMap<string, readonly Silence[]> = new Map();
  private impacts: readonly ImpactSpan[] = [];
  private marks: readonly ChainMark[] = [];
  private flags: readonly NoteFlag[] = [];
  private width = 1;
  private height = 1;
  private frame = 0;
  private lanesDirty = true;
  private overlayDirty = true;
  /** The overlay is painted on the canvas of the lanes, and the overlay canvases are empty. */
  private isMerged = false;
  private hovered: HoverMark | null = null;
  private selected: { readonly x: number; readonly y: number } | null = null;
  scene: Scene | undefined;

  private readonly elements: StageElements;
  private readonly store: LaneStore;

  constructor(elements: StageElements, store: LaneStore) {
    this.elements = elements;
    this.store = store;
    const pen = (canvas: HTMLCanvasElement) => canvas.getContext('2d', { alpha: canvas !== elements.lanes })!;
    const { lanes, overlay, values, axis } = elements;
    this.pens = { lanes: pen(lanes), overlay: pen(overlay), values: pen(values), axis: pen(axis) };
    const observer = new ResizeObserver(() => this.resize());
    observer.observe(elements.scroller);
    const scrolled = () => this.invalidate();
    elements.scroller.addEventListener('scroll', scrolled, { passive: true });
    this.undo.push(
      () => observer.disconnect(),
      () => elements.scroller.removeEventListener('scroll', scrolled),
      usePreferences.subscribe((now, before) => {
        if (now.ranges !== before.ranges) this.invalidate();
      }),
      onThemeChange(() => {
        this.palette = readPalette(document.documentElement);
        this.colors = pixelColors(this.palette);
        this.sprites = undefined;
        this.invalidate();
      }),
      useFocus.subscribe((now, before) => {
        if (now.window !== before.window || now.selected !== before.selected || now.entities !== before.entities)
          this.invalidate();
        else if (now.playhead !== before.playhead || now.brush !== before.brush) this.cover();
        else if (now.cursor !== before.cursor) this.schedule();
      }),
    );
    void document.fonts.ready.then(() => this.invalidate());
  }

  close(): void {
    cancelAnimationFrame(this.frame);
    for (const undo of this.undo) undo();
    this.store.close();
  }

  show(input: StageInput): void {
    const { incident } = input;
    this.input = input;
    this.impacts = input.incidents.map((view) => ({
      onsetEarliestNs: view.onset_earliest_ns,
      onsetNs: view.onset_ns,
      endNs: view.end_ns,
      selected: view.incident.id === incident,
    }));
    this.marks = marksOf(input.incidents.find((view) => view.incident.id === incident));
    this.resize();
  }

  /** Notes with a time. */
  flag(flags: readonly NoteFlag[]): void {
    this.flags = flags;
    this.cover();
  }

  setHovered(hovered: HoverMark | null): void {
    if (this.hovered?.x === hovered?.x && this.hovered?.y === hovered?.y) return;
    this.hovered = hovered;
    this.cover();
  }

  /** Sets the outages of the lanes' feeds. */
  hatch(silences: ReadonlyMap<string, readonly Silence[]>): void {
    this.silences = silences;
    this.invalidate();
  }

  /** Sets by how much lanes are drawn later than recorded. */
  shift(...shifts: Parameters<LaneStore['shift']>): void {
    this.store.shift(...shifts);
    this.invalidate();
  }

  resize(): void {
    const { scroller, lanes, values, cursor, axis } = this.elements;
    const ratio = window.devicePixelRatio;
    this.height = scroller.clientHeight;
    this.width = Math.max(1, lanes.parentElement?.clientWidth ?? 1);
    sizeCanvas(lanes, this.width, this.height, ratio);
    this.sizeCovers();
    values.style.left = `${this.width - VALUES_PX}px`;
    cursor.style.height = `${this.height}px`;
    sizeCanvas(axis, this.width, AXIS_PX, ratio);
    this.invalidate();
  }

  private sizeCovers(): void {
    const { overlay, values } = this.elements;
    const ratio = window.devicePixelRatio;
    sizeCanvas(overlay, this.width, this.height, ratio);
    sizeCanvas(values, VALUES_PX, this.height, ratio);
  }

  invalidate(): void {
    this.lanesDirty = true;
    this.schedule();
  }

  /** Marks the overlay as changed. */
  private cover(): void {
    this.overlayDirty = true;
    this.schedule();
  }

  private schedule(): void {
    if (this.frame === 0) this.frame = requestAnimationFrame(() => this.paint());
  }

  private paint(): void {
    this.frame = 0;
    if (!this.input) return;
    if (this.lanesDirty || !this.scene) {
      this.lanesDirty = false;
      this.scene = this.compose(this.input);
      paintLanes(this.pens.lanes, this.scene);
      this.selected = this.findSelected(this.scene);
      this.paintMerged(this.scene);
      this.requestData(this.scene);
    } else this.paintApart(this.scene);
    this.overlayDirty = false;
    const { playhead, cursor } = useFocus.getState();
    const { scale } = this.scene;
    moveCursor(this.elements.cursor, cursor === null || cursor === playhead ? null : xOf(scale, cursor), scale.width);
    paintAxis(this.pens.axis, this.scene, playhead, this.input.format);
  }

  /** While the lanes move, the overlay is painted on their canvas: every canvas costs a copy per frame. */
  private paintMerged(scene: Scene): void {
    const { lanes, overlay, values } = this.pens;
    for (const { canvas } of [overlay, values]) if (canvas.width > 1) empty(canvas);
    this.isMerged = true;
    this.paintCover(lanes, scene);
    lanes.save();
    lanes.translate(this.width - VALUES_PX, 0);
    paintValues(lanes, scene, this.valuesAt(scene));
    lanes.restore();
  }

  /** While the lanes do not move, the overlay is painted on its own canvas. */
  private paintApart(scene: Scene): void {
    const { lanes, overlay, values } = this.pens;
    if (this.isMerged) {
      this.sizeCovers();
      paintLanes(lanes, scene);
    }
    if (this.isMerged || this.overlayDirty) {
      clear(overlay);
      this.paintCover(overlay, scene);
    }
    this.isMerged = false;
    clear(values);
    paintValues(values, scene, this.valuesAt(scene));
  }

  private paintCover(pen: CanvasRenderingContext2D, scene: Scene): void {
    const { playhead, brush } = useFocus.getState();
    const { hovered, selected, flags } = this;
    paintOverlay(pen, scene, { playhead, hovered, selected, flags, brush });
  }

  private valuesAt({ scale }: Scene): Nanos {
    const { cursor, playhead, following, window: view } = useFocus.getState();
    return cursor ?? playhead ?? (following ? liveEdge(view) : timeAt(scale, scale.width));
  }

  private compose({ layout, format }: StageInput): Scene {
    const { window: view, selected, entities } = useFocus.getState();
    const ratio = window.devicePixelRatio;
    const scale = timeScale(view.startNs, view.endNs, this.width, ratio);
    const { scrollTop } = this.elements.scroller;
    const ranges = laneRanges();
    const [first, end] = visibleRange(layout, scrollTop, this.height);
    return {
      layout,
      first,
      end,
      scrollTop,
      height: this.height,
      scale,
      palette: this.palette,
      ticks: axisTicks(scale, format),
      impacts: this.impacts,
      marks: this.marks,
      selectedMark: 1 + (this.selectedSteps?.indexOf(selected ?? '') ?? -1),
      entities,
      entry: this.store.get,
      range: (lane) => ranges[lane],
      silences: ({ lane }) => this.silences.get(lane.id) ?? noSilence,
      stacks: this.stacks,
      layer: this.layer,
      colors: this.colors,
      sprites: this.spritesFor(ratio),
    };
  }

  private get selectedSteps(): readonly string[] | undefined {
    return this.input?.incidents
      .find((view) => view.incident.id === this.input?.incident)
      ?.steps.map((step) => step.ref);
  }

  private spritesFor(ratio: number): GlyphSprites {
    if (this.sprites?.ratio !== ratio) this.sprites = { ratio, made: makeGlyphSprites(this.palette, ratio) };
    return this.sprites.made;
  }

  private requestData(scene: Scene): void {
    const { window: view, bounds } = useFocus.getState();
    const [first, end] = visibleRange(scene.layout, scene.scrollTop - OVERSCAN_PX, this.height + 2 * OVERSCAN_PX);
    const lanes: string[] = [];
    for (let at = first; at < end; at++) {
      const row = scene.layout.rows[at];
      if (row?.kind === 'lane') lanes.push(row.lane.id);
    }
    this.store.want({ window: view, bounds, lanes, pixels: this.width });
  }

  private findSelected(scene: Scene): { readonly x: number; readonly y: number } | null {
    const { selected } = useFocus.getState();
    if (selected === null) return null;
    for (let at = scene.first; at < scene.end; at++) {
      const row = scene.layout.rows[at];
      const entry = row?.kind === 'lane' ? scene.entry(row.lane.id) : undefined;
      const place = row?.kind === 'lane' && entry ? placeOf(scene, row, entry, selected) : null;
      if (place) return place;
    }
    return null;
  }
}

/** Position of a record in a lane; null if the lane does not contain it. */
function placeOf(scene: Scene, row: LaneRow, entry: LaneEntry, ref: string): { x: number; y: number } | null {
  const { data } = entry;
  if (data.kind === 'bands') {
    const at = data.refs.indexOf(ref);
    return at < 0 ? null : bandPlace(data, bandRect(scene, row, entry), at);
  }
  const id = ref.startsWith('event:') ? Number(ref.slice(6)) : Number.NaN;
  const index = data.kind === 'events' && !Number.isNaN(id) ? indexOfEvent(data, id) : -1;
  if (data.kind !== 'events' || index < 0) return null;
  const rect = eventRect(scene, row, entry);
  const x = rect.originX + data.offset_s[index]! * rect.pixelsPerSecond;
  return { x, y: eventLine(rect.y, rect.height) };
}

/** An empty canvas needs no copy; it stays in place because it receives the mouse events. */
function empty(canvas: HTMLCanvasElement): void {
  canvas.width = 1;
  canvas.height = 1;
}

/** The canvas may be larger than its size in CSS pixels; clear all of it. */
function clear(pen: CanvasRenderingContext2D): void {
  pen.clearRect(0, 0, pen.canvas.width, pen.canvas.height);
}

function moveCursor(line: HTMLElement, x: number | null, width: number): void {
  const isShown = x !== null && x >= 0 && x <= width;
  line.style.visibility = isShown ? 'visible' : 'hidden';
  if (isShown) line.style.transform = `translateX(${Math.floor(x)}px)`;
}

function marksOf(view: IncidentView | undefined): readonly ChainMark[] {
  return (view?.steps ?? []).map((step, at) => ({
    order: at + 1,
    timeNs: step.time_ns,
    layer: step.layer,
    lane: step.lane,
    cause: step.cause,
    probability: step.edge_probability,
    undecided: step.undecided,
    x: 0,
    y: 0,
    eventX: 0,
    eventY: 0,
    beyond: 0,
  }));
}
