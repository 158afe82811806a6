/** An element: attributes, child elements in order, and the text directly inside it. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: XmlElement[];
  text: string;
}

export class XmlError extends Error {}

const MAX_DEPTH = 64;
const MAX_ELEMENTS = 2_000_000;
const TOKEN =
  /<(?:!--[\s\S]*?-->|!\[CDATA\[([\s\S]*?)\]\]>|\?[\s\S]*?\?>|(\/?)([A-Za-z_][\w.:-]*)((?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>)/y;
const ATTRIBUTE = /([\w.:-]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g;
const predefined: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', apos: "'", quot: '"' };

/**
 * The root element of a document. A tokenizer of its own instead of a library: nvidia-smi writes plain elements, and a
 * document type is stepped over, so that no entity is ever declared, let alone expanded.
 * @throws XmlError malformed, too deep, too large
 */
export function parseXml(text: string): XmlElement {
  const document: XmlElement = { name: '', attributes: new Map(), children: [], text: '' };
  const stack = [document];
  let elements = 0;
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf('<', at);
    const parent = stack.at(-1)!;
    parent.text += withoutReferences(text.slice(at, open < 0 ? text.length : open));
    if (open < 0) break;
    if (text.startsWith('<!DOCTYPE', open)) {
      at = endOfDoctype(text, open);
      continue;
    }
    TOKEN.lastIndex = open;
    const token = TOKEN.exec(text);
    if (!token) throw new XmlError('malformed XML');
    at = open + token[0].length;
    const [, data, closes, name, attributes = '', empty] = token;
    if (data !== undefined) parent.text += data;
    if (name === undefined) continue;
    if (closes) {
      if (stack.length === 1 || parent.name !== name) throw new XmlError(`</${name}> closes nothing`);
      stack.pop();
      continue;
    }
    if (++elements > MAX_ELEMENTS) throw new XmlError('too many elements');
    if (stack.length > MAX_DEPTH) throw new XmlError('nested too deeply');
    const element: XmlElement = { name, attributes: attributesOf(attributes), children: [], text: '' };
    parent.children.push(element);
    if (!empty) stack.push(element);
  }
  const root = document.children[0];
  if (!root || document.children.length > 1) throw new XmlError('not one root element');
  if (stack.length > 1) throw new XmlError('the document ends inside an element');
  return root;
}

/** Past `<!DOCTYPE … >`, whose internal subset may hold brackets, quotes and declarations. */
function endOfDoctype(text: string, from: number): number {
  const subset = text.indexOf('[', from);
  const end = text.indexOf('>', from);
  if (end < 0) throw new XmlError('a document type without an end');
  if (subset < 0 || subset > end) return end + 1;
  const close = /\]\s*>/g;
  close.lastIndex = subset;
  if (!close.exec(text)) throw new XmlError('a document type without an end');
  return close.lastIndex;
}

function attributesOf(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = '', double, single = ''] of text.matchAll(ATTRIBUTE))
    attributes.set(name, withoutReferences(double ?? single));
  return attributes;
}

/** Characters for the five predefined entities and for numbers; any other reference stays as it is. */
function withoutReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:(\w{2,4})|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi,
    (whole, name?: string, decimal?: string, hex?: string) => {
      if (name !== undefined) return Object.hasOwn(predefined, name) ? predefined[name]! : whole;
      const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

/** The first child of that name, and so on down the path. */
export function childAt(element: XmlElement, path: string): XmlElement | undefined {
  let at: XmlElement | undefined = element;
  for (const name of path.split('/')) at = at?.children.find((child) => child.name === name);
  return at;
}

/** Trimmed text at a path; '' when there is no such element. */
export const textAt = (element: XmlElement, path: string): string => childAt(element, path)?.text.trim() ?? '';
