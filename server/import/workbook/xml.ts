// The XML of a part as a stream of events: strictly, without a document type, whose entities could grow, and
// never with more than a little of it in memory.

import { StringDecoder } from 'node:string_decoder';
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { UnreadableFile } from '../files.ts';

/** One text or tag. */
const MAX_EVENT_BYTES = 2_097_152;
const MAX_DEPTH = 64;
/** Of workbooks, as most programs write them and as ISO 29500 has them strictly. */
const MAIN = [
  'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
  'http://purl.oclc.org/ooxml/spreadsheetml/main',
];
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships';

export interface XmlHandler {
  /** @param attributeOf gives an attribute by its local name. */
  open?(name: string, attributeOf: (name: string) => string | undefined): void;
  close?(name: string): void;
  text?(text: string): void;
}

const attributesOf =
  ({ attributes }: SaxesTagNS) =>
  (name: string): string | undefined => {
    const own = attributes[name];
    if (own !== undefined) return own.value;
    // `r:id` of a sheet.
    return Object.values(attributes).find(({ local, prefix }) => local === name && prefix !== 'xmlns')?.value;
  };

function parserOf(name: string, handler: XmlHandler): SaxesParser<{ xmlns: true }> {
  const parser = new SaxesParser({ xmlns: true, position: false });
  const isKnown = ({ uri }: SaxesTagNS) => MAIN.includes(uri) || uri === RELATIONSHIPS;
  let depth = 0;
  parser.on('error', (error) => {
    throw new UnreadableFile(`The workbook is damaged (${name}: ${error.message.replace(/^[\d:]+ /, '')})`);
  });
  parser.on('doctype', () => {
    throw new UnreadableFile(`${name} of the workbook has a document type, which no workbook has.`);
  });
  parser.on('opentag', (tag) => {
    depth += 1;
    if (depth > MAX_DEPTH) throw new UnreadableFile(`${name} of the workbook is nested too deep.`);
    if (isKnown(tag)) handler.open?.(tag.local, attributesOf(tag));
  });
  parser.on('closetag', (tag) => {
    depth -= 1;
    if (isKnown(tag)) handler.close?.(tag.local);
  });
  const onText = (text: string) => handler.text?.(text);
  parser.on('text', onText);
  parser.on('cdata', onText);
  return parser;
}

/**
 * Gives the events of a part to a handler; resumes after each chunk with its size.
 * @throws {UnreadableFile} when it is no XML of a workbook.
 */
export async function* parsed(
  name: string,
  bytes: AsyncIterable<Buffer>,
  handler: XmlHandler,
): AsyncGenerator<number> {
  let sinceEvent = 0;
  const seen = () => {
    sinceEvent = 0;
  };
  const parser = parserOf(name, {
    open(tag, attributeOf) {
      seen();
      handler.open?.(tag, attributeOf);
    },
    close(tag) {
      seen();
      handler.close?.(tag);
    },
    text(text) {
      seen();
      handler.text?.(text);
    },
  });
  const decoder = new StringDecoder('utf8');
  for await (const chunk of bytes) {
    sinceEvent += chunk.length;
    if (sinceEvent > MAX_EVENT_BYTES)
      throw new UnreadableFile(`A text in ${name} of the workbook is longer than ${MAX_EVENT_BYTES} bytes.`);
    parser.write(decoder.write(chunk));
    yield chunk.length;
  }
  parser.write(decoder.end());
  parser.close();
}

/** Gives all events of a part to a handler. */
export async function parseAll(
  name: string,
  bytes: AsyncIterable<Buffer>,
  handler: XmlHandler,
): Promise<void> {
  for await (const _ of parsed(name, bytes, handler));
}
