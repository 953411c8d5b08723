// What a workbook says of itself: its sheets, whose parts these are, what its formats show, and from when its
// days count. Only parts of the archive are followed: no link, no macro, nothing outside.

import { posix } from 'node:path';
import { UnreadableFile } from '../files.ts';
import type { Archive } from './archive.ts';
import { type Shown, shownBy } from './number-formats.ts';
import { type SharedTexts, sharedTexts } from './texts.ts';
import { parseAll } from './xml.ts';

/** The last part of the types of relationships, which standards spell differently before it. */
const KINDS = {
  workbook: 'officeDocument',
  sheet: 'worksheet',
  texts: 'sharedStrings',
  styles: 'styles',
} as const;

export interface Sheet {
  readonly name: string;
  /** The name of its part. */
  readonly part: string;
  readonly isHidden: boolean;
}

export interface Workbook {
  readonly archive: Archive;
  readonly sheets: readonly Sheet[];
  readonly texts: SharedTexts;
  /** What the numbers of a style show; a style that is not there shows numbers. */
  readonly shown: readonly Shown[];
  readonly is1904: boolean;
}

interface Relationship {
  readonly id: string;
  readonly kind: string;
  readonly part: string;
}

/** The relationships of a part to others in the archive; external ones are left out. */
async function relationshipsOf(archive: Archive, part: string): Promise<Relationship[]> {
  const { dir, base } = posix.parse(part);
  const name = posix.join(dir, '_rels', `${base}.rels`);
  const found: Relationship[] = [];
  if (!archive.has(name)) return found;
  await parseAll(name, archive.read(name), {
    open(tag, attributeOf) {
      if (tag !== 'Relationship' || attributeOf('TargetMode') === 'External') return;
      const target = attributeOf('Target') ?? '';
      // From the root of the archive, which is not left: `join` of an absolute path cannot.
      const path = target.startsWith('/') ? target : posix.join('/', dir, target);
      found.push({
        id: attributeOf('Id') ?? '',
        kind: (attributeOf('Type') ?? '').split('/').at(-1) ?? '',
        part: posix.normalize(path).slice(1),
      });
    },
  });
  return found;
}

/** What the styles of cells show, by their numbers. */
async function shownByStyles(archive: Archive, part: string | undefined): Promise<Shown[]> {
  const shown: Shown[] = [];
  if (part === undefined) return shown;
  const formats = new Map<number, string>();
  const ids: number[] = [];
  let isOfCells = false;
  await parseAll(part, archive.read(part), {
    open(tag, attributeOf) {
      if (tag === 'cellXfs') isOfCells = true;
      const id = Number(attributeOf('numFmtId'));
      if (tag === 'numFmt') formats.set(id, attributeOf('formatCode') ?? '');
      else if (tag === 'xf' && isOfCells) ids.push(id);
    },
    close(tag) {
      if (tag === 'cellXfs') isOfCells = false;
    },
  });
  return ids.map((id) => shownBy(id, formats.get(id)));
}

/**
 * Reads what is needed before the rows.
 * @throws {UnreadableFile}
 */
export async function workbookOf(archive: Archive): Promise<Workbook> {
  const [root] = (await relationshipsOf(archive, '')).filter(({ kind }) => kind === KINDS.workbook);
  if (root === undefined)
    throw new UnreadableFile('The file is a ZIP archive, but not a workbook (.xlsx): unpack what is in it.');
  const related = await relationshipsOf(archive, root.part);
  const partOf = (kind: string) => related.find((one) => one.kind === kind && archive.has(one.part))?.part;
  const sheets: Sheet[] = [];
  let is1904 = false;
  await parseAll(root.part, archive.read(root.part), {
    open(tag, attributeOf) {
      if (tag === 'workbookPr') is1904 = /^(?:1|true|on)$/.test(attributeOf('date1904') ?? '');
      if (tag !== 'sheet') return;
      // Charts and macros are sheets, too, but of other kinds.
      const own = related.find(({ id, kind }) => kind === KINDS.sheet && id === attributeOf('id'));
      if (own === undefined || !archive.has(own.part)) return;
      const isHidden = (attributeOf('state') ?? 'visible') !== 'visible';
      sheets.push({ name: attributeOf('name') ?? '', part: own.part, isHidden });
    },
  });
  if (sheets.length === 0) throw new UnreadableFile('The workbook has no sheet with cells.');
  const texts = await sharedTexts(archive, partOf(KINDS.texts));
  const shown = await shownByStyles(archive, partOf(KINDS.styles));
  return { archive, sheets, texts, shown, is1904 };
}
