// The results of drills as text: the sections of docs/reliability.md.

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

/** What the document says of a drill: its sentences, and what its last run in full has counted. */
const section = (name: string) =>
  new RegExp(`(?<=<!-- drill: ${name} -->\n)(?<body>.*?)(?=<!-- end -->)`, 's');

function sentences({ proves }: Drill): string {
  return `${proves.map((sentence) => `- ${sentence}`).join('\n')}\n`;
}

/** How what came of a drill begins. */
const COUNTED = /^[\d,]+ checks in \d+ s, (?:none|[\d,]+) wrong\.$/m;

/** Whether a document has the section of a drill, with the sentences of today and what came of it. */
export function isCurrent(document: string, drill: Drill): boolean {
  const body = section(drill.name).exec(document)?.groups?.['body'] ?? '';
  const came = body.slice(sentences(drill).length).trim();
  return body.startsWith(sentences(drill)) && COUNTED.test(came);
}

const STORES = ['SQLite', 'PostgreSQL'] as const;
/** How a result says which store it is of. */
const OF_STORE = /^(SQLite|PostgreSQL): |,? on (SQLite|PostgreSQL)(?=,|$)| \((SQLite|PostgreSQL)\)$/;

/** What the document says of a result after its count: the figure of the note, and all of what is wrong. */
function figureOf({ wrong, note }: DrillResult): string {
  if (wrong > 0) return `, ${number(wrong)} wrong: ${note ?? ''}`;
  return note === undefined ? '' : `: ${note.split(': ')[0]}`;
}

/** What has a figure, in a column for each store, and another for what is of neither. */
function figures(results: readonly DrillResult[]): string[] {
  const rows = new Map<string, Map<string, string>>();
  for (const result of results.filter(({ wrong, note }) => wrong > 0 || note !== undefined)) {
    const store = OF_STORE.exec(result.did)?.slice(1).find(Boolean) ?? '';
    const what = result.did.replace(OF_STORE, '');
    const cells = rows.get(what) ?? new Map<string, string>();
    rows.set(what, cells.set(store, number(result.count) + figureOf(result)));
  }
  if (rows.size === 0) return [];
  const columns = [...STORES, ''].filter((store) => rows.values().some((cells) => cells.has(store)));
  const lines = [
    ['', ...columns],
    ['---', ...columns.map(() => '---')],
    ...rows.entries().map(([what, cells]) => [what, ...columns.map((store) => cells.get(store) ?? '')]),
  ];
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  return ['', ...lines.map((cells) => `| ${cells.map(cell).join(' | ')} |`)];
}

/** The document with the section of a drill written again. */
export function withResults(document: string, drill: Drill, { seconds, results }: DrillRun): string {
  if (!section(drill.name).test(document)) {
    throw new Error(`docs/reliability.md has no section <!-- drill: ${drill.name} --> … <!-- end -->.`);
  }
  const sum = (one: 'count' | 'wrong') => number(results.reduce((total, result) => total + result[one], 0));
  const wrong = sum('wrong') === '0' ? 'none' : sum('wrong');
  const counted = `${sum('count')} checks in ${Math.round(seconds)} s, ${wrong} wrong.`;
  const body = [`${sentences(drill)}`, counted, ...figures(results)].join('\n');
  return document.replace(section(drill.name), () => `${body}\n`);
}
