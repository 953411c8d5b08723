// The results of drills as text: the table at the end of a run, and the sections of docs/reliability.md.

import type { Drill, DrillResult } from './drill.ts';

/** One drill that has come to its end. */
export interface DrillRun {
  readonly name: string;
  readonly seconds: number;
  readonly results: readonly DrillResult[];
}

const number = (value: number) => value.toLocaleString('en');

/** Something was wrong, or nothing was done at all. */
export const isWrong = ({ results }: DrillRun) =>
  results.length === 0 || results.some(({ count, wrong }) => wrong > 0 || count === 0);

/** The table of counts that a run ends with. */
export function countsTable(runs: readonly DrillRun[]): string {
  const rows = runs.flatMap(({ name, seconds, results }) => [
    [name, '', '', '', `${Math.round(seconds)} s`],
    ...results.map(({ did, count, wrong, note = '' }) => ['', did, number(count), number(wrong), note]),
  ]);
  const all = [['drill', 'done', 'count', 'wrong', 'note'], ...rows];
  const widths = all[0]?.map((_, i) => Math.max(...all.map((cells) => cells[i]?.length ?? 0))) ?? [];
  const right = new Set([2, 3]);
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => (right.has(i) ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  return all.map(line).join('\n');
}

/** What the document says of a drill: its sentences, and what its last run in full has counted. */
const section = (name: string) =>
  new RegExp(`(?<=<!-- drill: ${name} -->\n)(?<body>.*?)(?=<!-- end -->)`, 's');

function sentences({ proves }: Drill): string {
  return `${proves.map((sentence) => `- ${sentence}`).join('\n')}\n`;
}

/** Stands in the section of a drill that has not been run in full. */
export const NOT_RUN = 'Not run in full yet.';

/** Whether a document has the section of a drill, with the sentences of today and what came of it. */
export function isCurrent(document: string, drill: Drill): boolean {
  const body = section(drill.name).exec(document)?.groups?.['body'] ?? '';
  const came = body.slice(sentences(drill).length).trim();
  return body.startsWith(sentences(drill)) && (came === NOT_RUN || came.startsWith('| done |'));
}

/** The document with the section of a drill that has not been run in full. */
export function withoutResults(document: string, drill: Drill): string {
  return document.replace(section(drill.name), () => `${sentences(drill)}\n${NOT_RUN}\n`);
}

/** The document with the section of a drill written again. */
export function withResults(document: string, drill: Drill, { seconds, results }: DrillRun): string {
  if (!section(drill.name).test(document)) {
    throw new Error(`docs/reliability.md has no section <!-- drill: ${drill.name} --> … <!-- end -->.`);
  }
  const isClean = results.every(({ wrong }) => wrong === 0);
  const ifWrong = (text: string) => (isClean ? [] : [text]);
  const rows = results.map(({ did, count, wrong, note = '' }) => {
    return [did, number(count), ...ifWrong(number(wrong)), note];
  });
  const time = `in ${Math.round(seconds)} s${isClean ? ', none wrong' : ''}`;
  const all = [
    ['done', 'count', ...ifWrong('wrong'), time],
    ['---', '--:', ...ifWrong('--:'), '---'],
    ...rows,
  ];
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  const lines = all.map((cells) => `| ${cells.map(cell).join(' | ')} |`);
  return document.replace(section(drill.name), () => `${sentences(drill)}\n${lines.join('\n')}\n`);
}
