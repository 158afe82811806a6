/** A 2D context that records its calls with the current styles. */
export interface Stroke {
  readonly name: string;
  readonly values: readonly unknown[];
  readonly fillStyle: unknown;
  readonly strokeStyle: unknown;
  readonly dash: readonly number[];
}

export interface RecordingPen {
  readonly pen: CanvasRenderingContext2D;
  readonly calls: Stroke[];
  named(name: string): readonly Stroke[];
}

export function recordingPen(): RecordingPen {
  const calls: Stroke[] = [];
  const state: Record<string, unknown> = { globalAlpha: 1, fillStyle: '', strokeStyle: '' };
  let dash: readonly number[] = [];
  const record =
    (name: string) =>
    (...values: unknown[]) => {
      if (name === 'setLineDash') dash = values[0] as number[];
      calls.push({ name, values, fillStyle: state.fillStyle, strokeStyle: state.strokeStyle, dash });
      return name === 'measureText' ? { width: String(values[0]).length * 6 } : undefined;
    };
  const pen = new Proxy(state, {
    get: (target, name) => (name in target ? target[String(name)] : record(String(name))),
    set: (target, name, value) => {
      target[String(name)] = value;
      return true;
    },
  }) as unknown as CanvasRenderingContext2D;
  return { pen, calls, named: (name) => calls.filter((call) => call.name === name) };
}
