import { jsonKeys, jsonLength, jsonPart, jsonText, jsonType, jsonValues } from './json-document.ts';
import type { TextFunction } from './text-functions.ts';

/** What the macros below are made of. */
export const jsonFunctions: Readonly<Record<string, TextFunction>> = {
  faultline_json_text: jsonText,
  faultline_json_part: jsonPart,
  faultline_json_type: jsonType,
  faultline_json_length: jsonLength,
  faultline_json_keys: jsonKeys,
  faultline_json_values: jsonValues,
};

/**
 * The JSON functions that questions use, and those that people most use, under the names that they have on the desktop:
 * WebAssembly builds of DuckDB come without its JSON extension and would fetch it from the network. JSON is text here.
 * There is no `->`, which is an arrow of a lambda and nothing else, and of `json_transform`
 * only maps of texts, except in questions (json-structures.ts).
 */
export const jsonMacros = `
create type json as varchar;
create macro json_extract_string(document, path) as faultline_json_text(document::varchar, path::varchar);
create macro json_extract_path_text(document, path) as faultline_json_text(document::varchar, path::varchar);
create macro "->>"(document, path) as faultline_json_text(document::varchar, path::varchar);
create macro json_extract(document, path) as faultline_json_part(document::varchar, path::varchar);
create macro json_type(document) as faultline_json_type(document::varchar, '$'),
  (document, path) as faultline_json_type(document::varchar, path::varchar);
create macro json_valid(document) as
  case when document is not null then faultline_json_type(document::varchar, '$') is not null end;
create macro json_array_length(document) as faultline_json_length(document::varchar, '$')::ubigint,
  (document, path) as faultline_json_length(document::varchar, path::varchar)::ubigint;
create macro json_keys(document) as faultline_json_keys(document::varchar, '$')::varchar[],
  (document, path) as faultline_json_keys(document::varchar, path::varchar)::varchar[];
create macro json_transform(document, structure) as case
  when structure <> '"MAP(VARCHAR, VARCHAR)"' then error('in the viewer json_transform knows "MAP(VARCHAR, VARCHAR)" only')
  when document is not null then map(
    faultline_json_keys(document::varchar, '$')::varchar[], faultline_json_values(document::varchar, '$')::varchar[])
end;`;
