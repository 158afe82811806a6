import { useEffect, useRef, useState } from 'react';
import type { FoundItem, Output } from '../../model/contract/index.ts';
import { isZone } from '../../model/local-time.ts';
import { formatUtc, nanos, parseTime } from '../../model/time.ts';
import { formatBytes, formatCount } from '../draw/text/format-value.ts';
import { answerPreview } from '../state/import-flow.ts';
import { type Choice, choose, chooseNewCase, useImport } from '../state/import-state.ts';
import { useApp } from '../state/known.ts';
import { type Column, DataTable } from '../widgets/data-table.tsx';
import { ColumnMappingForm } from './column-mapping.tsx';
import { messages } from './messages/import.ts';
import './import-preview.css';

type Format = Output<'app.info'>['formats'][number];
type MissingMetadata = Format['leaves_open'][number];

interface Row {
  readonly found: FoundItem;
  readonly choice: Choice;
  readonly format: Format | undefined;
}

/** The detected data sources before the import; every detected value can be corrected. */
export function ImportPreview() {
  const { phase, found, choices } = useImport();
  const formats = useApp()?.formats ?? none;
  const dialog = useRef<HTMLDialogElement>(null);
  const [mapped, setMapped] = useState<number | null>(null);
  const shown = phase === 'choosing';
  useEffect(() => {
    if (shown) dialog.current?.showModal();
  }, [shown]);
  if (!shown) return null;
  const rows = found.map((one): Row => {
    const choice = choices[one.item] ?? {};
    const format = formats.find(({ id }) => id === (choice.format ?? one.format));
    return { found: one, choice, format };
  });
  const mappedRow = rows.find(({ found: { item } }) => item === mapped);
  const wanted = rows.filter(({ choice, format }) => format && !choice.skip);
  const wrong = wanted.filter(({ choice }) => choice.zone && !isZone(choice.zone));
  return (
    <dialog
      ref={dialog}
      className="import-preview"
      aria-label={messages.preview.title}
      data-testid="import-preview"
      onCancel={() => answerPreview(false)}
    >
      <form method="dialog" onSubmit={() => answerPreview(true)}>
        <header>
          <h2>{messages.preview.title}</h2>
          <span className="muted">{summary(rows)}</span>
        </header>
        <DataTable<Row>
          isForm
          label={messages.preview.sources}
          columns={columnsFor(rows, formats, setMapped)}
          rows={rows}
          keyOf={({ found: { item } }) => String(item)}
          empty={messages.preview.empty}
        />
        {mappedRow?.format ? (
          <ColumnMappingForm found={mappedRow.found} format={mappedRow.format.id} onClose={() => setMapped(null)} />
        ) : null}
        <TargetCase />
        <footer>
          <span className="muted">
            {wrong.length > 0 ? messages.preview.badZone(wrong[0]?.choice.zone ?? '') : messages.preview.hint}
          </span>
          <button type="button" onClick={() => answerPreview(false)}>
            {messages.cancel} <kbd>Esc</kbd>
          </button>
          <button type="submit" className="primary" disabled={wanted.length === 0 || wrong.length > 0}>
            {messages.preview.import(wanted.length, formatCount(wanted.length))} <kbd>Enter</kbd>
          </button>
        </footer>
      </form>
    </dialog>
  );
}

/** Into the open case or a new one; nothing is asked where no case with data is open. */
function TargetCase() {
  const { openCase, intoNewCase } = useImport();
  if (openCase === null) return null;
  return (
    <fieldset className="import-target">
      <legend>{messages.preview.target}</legend>
      {[false, true].map((isNew) => (
        <label key={String(isNew)}>
          <input
            type="radio"
            name="import-target"
            checked={intoNewCase === isNew}
            onChange={() => chooseNewCase(isNew)}
          />{' '}
          {isNew ? messages.preview.newCase : messages.preview.openCase(openCase)}
        </label>
      ))}
    </fieldset>
  );
}

const none: readonly Format[] = [];

/** Whether a file lacks this; of a format that was chosen by hand, whether its files often do. */
function lacks({ found, format }: Row, missing: MissingMetadata): boolean {
  const seen = format?.id === found.format ? found.left_open?.missing : undefined;
  return (seen ?? format?.leaves_open ?? []).includes(missing);
}

const readingsOf = ({ found, format }: Row) =>
  (format?.id === found.format ? found.left_open?.readings : undefined) ?? [];

function summary(rows: readonly Row[]): string {
  const known = rows.filter(({ format }) => format).length;
  const unknown = rows.length - known;
  const first = messages.preview.recognised(formatCount(known));
  return unknown === 0 ? first : first + messages.preview.notRecognised(formatCount(unknown));
}

/** Shows only the columns that some file needs. */
function columnsFor(
  rows: readonly Row[],
  formats: readonly Format[],
  onMap: (item: number) => void,
): readonly Column<Row>[] {
  const common = commonFolder(rows.map(({ found }) => found.name));
  const needs = (missing: MissingMetadata) => rows.some((row) => lacks(row, missing));
  return [
    importColumn,
    {
      id: 'name',
      title: messages.preview.source,
      width: 'minmax(180px, 3fr)',
      cell: ({ found }) => <span title={found.paths.join('\n')}>{found.name.slice(common)}</span>,
      sort: ({ found }) => found.name,
    },
    formatColumn(formats),
    {
      id: 'files',
      title: messages.preview.files,
      numeric: true,
      width: '44px',
      cell: ({ found }) => formatCount(found.files),
      sort: ({ found }) => found.files,
    },
    {
      id: 'bytes',
      title: messages.preview.size,
      numeric: true,
      width: '64px',
      cell: ({ found }) => formatBytes(found.bytes),
      sort: ({ found }) => found.bytes,
    },
    ...(rows.some(({ format }) => format?.has_columns) ? [mapColumn(onMap)] : []),
    ...(rows.some((row) => readingsOf(row).length > 1) ? [readingColumn] : []),
    ...(needs('zone') ? [zoneColumn] : []),
    ...(needs('time') ? [timeColumn] : []),
    ...(needs('device') ? [deviceColumn] : []),
    offsetColumn,
  ];
}

/** Length of the folder path that all names share; the end of a name identifies it. */
function commonFolder(names: readonly string[]): number {
  const [first = ''] = names;
  let end = names.length > 1 ? first.length : 0;
  for (const name of names) while (!name.startsWith(first.slice(0, end))) end--;
  return first.lastIndexOf('/', end - 1) + 1;
}

const importColumn: Column<Row> = {
  id: 'keep',
  title: '',
  width: '20px',
  cell: ({ found, choice, format }) => (
    <input
      type="checkbox"
      aria-label={messages.preview.importOne(found.name)}
      checked={format !== undefined && !choice.skip}
      disabled={format === undefined}
      onChange={(event) => choose(found.item, { skip: !event.target.checked })}
    />
  ),
};

const formatColumn = (formats: readonly Format[]): Column<Row> => ({
  id: 'format',
  title: messages.preview.format,
  width: 'minmax(150px, 1.5fr)',
  cell: ({ found, choice, format }) =>
    found.problem && found.problem.code !== 'file.unknown_format' ? (
      <span className="muted" title={found.problem.hint}>
        {found.problem.message}
      </span>
    ) : (
      <select
        aria-label={messages.preview.formatOf(found.name)}
        title={format?.title ?? found.problem?.hint}
        value={choice.format ?? found.format ?? ''}
        onChange={(event) => choose(found.item, { format: event.target.value || null })}
      >
        {found.format === null ? <option value="">{messages.preview.unknownFormat}</option> : null}
        {formats.map(({ id, title }) => (
          <option key={id} value={id} title={title}>
            {id}
          </option>
        ))}
      </select>
    ),
  sort: ({ found }) => found.format ?? '',
});

const mapColumn = (onMap: (item: number) => void): Column<Row> => ({
  id: 'columns',
  title: messages.preview.columns,
  width: '88px',
  cell: ({ found, choice, format }) =>
    format?.has_columns ? (
      <button type="button" className="link" onClick={() => onMap(found.item)}>
        {choice.mapping ? messages.preview.mapped : messages.preview.map}
      </button>
    ) : null,
});

interface FieldProps {
  readonly row: Row;
  readonly missing: MissingMetadata;
  readonly label: string;
  readonly placeholder: string;
  readonly onText: (text: string) => Choice | null;
}

/** A field for missing metadata; empty if the format needs none. */
function Field({ row, missing, label, placeholder, onText }: FieldProps) {
  if (!lacks(row, missing)) return null;
  const { found } = row;
  return (
    <input
      type="text"
      aria-label={messages.preview.fieldOf(label, found.name)}
      placeholder={placeholder}
      onChange={(event) => {
        const choice = onText(event.target.value.trim());
        event.target.setCustomValidity(choice === null ? messages.preview.unreadable : '');
        if (choice !== null) choose(found.item, choice);
      }}
    />
  );
}

/** The first time of a file, in each way in which it can be read. */
const readingColumn: Column<Row> = {
  id: 'reading',
  title: messages.preview.firstTime,
  width: '264px',
  cell: (row) => {
    const readings = readingsOf(row);
    const line = row.found.left_open?.line ?? '';
    if (readings.length < 2) return null;
    return (
      <select
        aria-label={messages.preview.readingOf(row.found.name)}
        title={line}
        onChange={(event) => {
          const { date_order, year } = readings[Number(event.target.value)]!;
          choose(row.found.item, { date_order, year });
        }}
      >
        <optgroup label={line}>
          {readings.map(({ clock, date_order }, i) => (
            <option key={clock} value={i}>
              {messages.preview.reading(clock, date_order, i === 0)}
            </option>
          ))}
        </optgroup>
      </select>
    );
  },
};

const zoneColumn: Column<Row> = {
  id: 'zone',
  title: messages.preview.zone,
  width: '104px',
  cell: (row) => (
    <Field
      row={row}
      missing="zone"
      label={messages.preview.zoneLabel}
      placeholder={messages.preview.zonePlaceholder}
      onText={(zone) => ({ zone: zone || null })}
    />
  ),
};

const timeColumn: Column<Row> = {
  id: 'captured',
  title: messages.preview.captured,
  width: '176px',
  cell: (row) => (
    <Field
      row={row}
      missing="time"
      label={messages.preview.capturedLabel}
      placeholder={`${row.found.captured_ns === null ? messages.preview.unknown : formatUtc(nanos(row.found.captured_ns))}`}
      onText={(text) => (text === '' ? { captured_ns: null } : readTime(text))}
    />
  ),
};

function readTime(text: string): Choice | null {
  try {
    return { captured_ns: parseTime(text) };
  } catch {
    return null;
  }
}

const deviceColumn: Column<Row> = {
  id: 'device',
  title: messages.preview.device,
  width: '112px',
  cell: (row) => (
    <Field
      row={row}
      missing="device"
      label={messages.preview.deviceLabel}
      placeholder={messages.preview.devicePlaceholder}
      onText={(device) => ({ device: device || null })}
    />
  ),
};

const offsetColumn: Column<Row> = {
  id: 'offset',
  title: messages.preview.offset,
  width: '104px',
  cell: ({ found, format }) =>
    format ? (
      <input
        type="number"
        step="any"
        aria-label={messages.preview.offsetOf(found.name)}
        placeholder={messages.preview.offsetPlaceholder}
        onChange={(event) => choose(found.item, { offset_s: Number(event.target.value) || 0 })}
      />
    ) : null,
};
