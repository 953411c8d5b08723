// The parts of a workbook other than its worksheet (ECMA-376, parts 1 and 2).

import { type FORMATS, xmlText } from './cells.ts';

export const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
export const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const SPREADSHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Ids of built-in formats: `0` and `@`. */
const INTEGER = 1;
const TEXT = 49;
/** Ids of custom formats start at 164. */
const CHARGE = 164;
const TIMESTAMP = 165;
const SUM = 166;

const format = (number: number, font = 0) =>
  `<xf numFmtId="${number}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`;

const CELL_FORMATS: Readonly<Record<keyof typeof FORMATS, string>> = {
  plain: format(0),
  heading: format(TEXT, 1),
  text: format(TEXT),
  integer: format(INTEGER),
  charge: format(CHARGE),
  timestamp: format(TIMESTAMP),
  sum: format(SUM, 1),
};

/** The codes of the formats for charges and, where there is one, for their sums. */
export interface ChargeFormats {
  readonly charge: string;
  readonly sum?: string;
}

const numberFormat = (id: number, code: string) =>
  `<numFmt numFmtId="${id}" formatCode="${xmlText(code).replaceAll('"', '&quot;')}"/>`;

function stylesXml({ charge, sum }: ChargeFormats): string {
  const numbers = [
    numberFormat(CHARGE, charge),
    numberFormat(TIMESTAMP, String.raw`yyyy\-mm\-dd\ hh:mm:ss`),
    ...(sum === undefined ? [] : [numberFormat(SUM, sum)]),
  ];
  const cells = Object.entries(CELL_FORMATS).flatMap(([name, xml]) =>
    name === 'sum' && sum === undefined ? [] : xml,
  );
  return (
    `<styleSheet xmlns="${MAIN}"><numFmts count="${numbers.length}">${numbers.join('')}</numFmts>` +
    `${FONTS_AND_BORDERS}<cellXfs count="${cells.length}">${cells.join('')}</cellXfs>` +
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
  );
}

const FONTS_AND_BORDERS =
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font>' +
  '<font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill>' +
  '<fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>';

const CONTENT_TYPES =
  `<Types xmlns="${PACKAGE}/content-types">` +
  '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
  '<Default Extension="xml" ContentType="application/xml"/>' +
  `<Override PartName="/xl/workbook.xml" ContentType="${SPREADSHEET}.sheet.main+xml"/>` +
  `<Override PartName="/xl/styles.xml" ContentType="${SPREADSHEET}.styles+xml"/>` +
  `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${SPREADSHEET}.worksheet+xml"/></Types>`;

const relations = (...targets: readonly (readonly [type: string, target: string])[]) =>
  `<Relationships xmlns="${PACKAGE}/relationships">${targets
    .map(
      ([type, target], index) =>
        `<Relationship Id="rId${index + 1}" Type="${RELATIONS}/${type}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`;

/** The parts in front of the worksheet. */
export const firstParts = (formats: ChargeFormats): readonly (readonly [name: string, xml: string])[] => [
  ['[Content_Types].xml', CONTENT_TYPES],
  ['_rels/.rels', relations(['officeDocument', 'xl/workbook.xml'])],
  ['xl/_rels/workbook.xml.rels', relations(['worksheet', 'worksheets/sheet1.xml'], ['styles', 'styles.xml'])],
  ['xl/styles.xml', stylesXml(formats)],
];

export const SHEET_PART = 'xl/worksheets/sheet1.xml';
export const WORKBOOK_PART = 'xl/workbook.xml';

/**
 * @param range all cells, such as `$A$1:$R$47`: Excel requires the range of a filter as a defined name, too.
 */
export function workbookXml(sheet: string, range: string): string {
  const name = xmlText(sheet);
  return (
    `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}">` +
    `<bookViews><workbookView/></bookViews><sheets><sheet name="${name}" sheetId="1" r:id="rId1"/></sheets><definedNames>` +
    `<definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">'${name}'!${range}</definedName>` +
    '</definedNames></workbook>'
  );
}
