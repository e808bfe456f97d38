/** Just enough XML for test reports: elements, attributes, text, CDATA. No DTDs, no external entities. */
import { must } from "../../kernel/index.ts";
export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  children: XmlElement[];
  text: string;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
const MAX_DEPTH = 100;

function decode(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/giu,
    (whole, hex: string | undefined, decimal: string | undefined, name: string | undefined) => {
      const code = hex !== undefined ? Number.parseInt(hex, 16) : decimal !== undefined ? Number(decimal) : undefined;
      if (code !== undefined) return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
      return ENTITIES[name ?? ""] ?? whole;
    },
  );
}

function attributesOf(source: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const match of source.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/gu))
    attributes[must(match[1])] = decode(match[2] ?? match[3] ?? "");
  return attributes;
}

/** Undefined when the text is not well formed. */
export function parseXml(source: string): XmlElement | undefined {
  const root: XmlElement = { name: "", attributes: {}, children: [], text: "" };
  const open: XmlElement[] = [root];
  let at = 0;
  while (at < source.length) {
    const here = must(open.at(-1));
    const start = source.indexOf("<", at);
    if (start === -1) break;
    here.text += decode(source.slice(at, start));
    const skip = (end: string): number => {
      const found = source.indexOf(end, start);
      return found === -1 ? -1 : found + end.length;
    };
    if (source.startsWith("<![CDATA[", start)) {
      const end = source.indexOf("]]>", start);
      if (end === -1) return undefined;
      here.text += source.slice(start + 9, end);
      at = end + 3;
      continue;
    }
    if (source.startsWith("<!--", start) || source.startsWith("<?", start) || source.startsWith("<!", start)) {
      at = skip(source.startsWith("<!--", start) ? "-->" : source.startsWith("<?", start) ? "?>" : ">");
      if (at === -1) return undefined;
      continue;
    }
    const tag = /^<(\/?)([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>/u.exec(source.slice(start, start + 65_536));
    if (tag === null) return undefined;
    at = start + tag[0].length;
    const name = must(tag[2]);
    if (tag[1] === "/") {
      if (open.length < 2 || here.name !== name) return undefined;
      open.pop();
      continue;
    }
    const element: XmlElement = { name, attributes: attributesOf(tag[3] ?? ""), children: [], text: "" };
    here.children.push(element);
    if (tag[4] !== "/") {
      if (open.length > MAX_DEPTH) return undefined;
      open.push(element);
    }
  }
  return open.length === 1 ? root.children[0] : undefined;
}
