// The results of drills as text: the sections of docs/reliability.md, without the figures.

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

/** The document with the section of a drill written again. */
export function withResults(document: string, drill: Drill, { seconds, results }: DrillRun): string {
  if (!section(drill.name).test(document)) {
    throw new Error(`docs/reliability.md has no section <!-- drill: ${drill.name} --> … <!-- end -->.`);
  }
  const sum = (one: 'count' | 'wrong') => number(results.reduce((total, result) => total + result[one], 0));
  const wrong = sum('wrong') === '0' ? 'none' : sum('wrong');
  const counted = `${sum('count')} checks in ${Math.round(seconds)} s, ${wrong} wrong.`;
  return document.replace(section(drill.name), () => `${sentences(drill)}\n${counted}\n`);
}
