// `linecard verify`: reads each list three times, by pages, as an export and by its facets, and compares.
// What reads all of a list must not have to trust that it was all.

import { chargeText, parseCharge } from '@linecard/client/contract/charge';
import type { Item } from '@linecard/client/contract/csv';
import { summedFields } from '@linecard/client/contract/facets';
import type { List } from '@linecard/client/contract/list';
import { count } from '@linecard/client/contract/wording';
import type { AccountList } from './connect.ts';
import { print, say } from './print.ts';
import { visible } from './printable.ts';

/** A list may change between two requests; one that never agrees is another matter. */
const TRIES = 3;

interface Comparison {
  readonly items: number;
  /** Empty where all agree. */
  readonly differences: readonly string[];
}

/** More differences than this say no more. */
const MOST_SHOWN = 10;

function shown(differences: readonly string[]): string {
  const more = differences.length - MOST_SHOWN;
  return visible(differences.slice(0, MOST_SHOWN).join('; ') + (more > 0 ? `; and ${count(more)} more` : ''));
}

/** Sums of charges in millionths, so that adding makes no noise. */
class Sums {
  readonly #millionths: Map<string, bigint>;

  constructor(list: List) {
    this.#millionths = new Map(summedFields(list).map((name) => [name, 0n]));
  }

  add(row: Item): void {
    for (const [name, sum] of this.#millionths) {
      this.#millionths.set(name, sum + BigInt(parseCharge(String(row[name])) ?? 0));
    }
  }

  differFrom(sums: Readonly<Record<string, number>>): string[] {
    return [...this.#millionths]
      .filter(([name, sum]) => Number(chargeText(sum)) !== sums[name])
      .map(([name, sum]) => `${name} adds up to ${chargeText(sum)}, the facets say ${sums[name]}`);
  }
}

/** Walks the pages and the export side by side. */
async function compare(list: List, client: AccountList, signal: AbortSignal): Promise<Comparison> {
  const exported = await client.export({}, { signal });
  const rows = exported[Symbol.asyncIterator]();
  const sums = new Sums(list);
  const seen = new Set<unknown>();
  const differences: string[] = [];
  let byPages = 0;
  let byExport = 0;
  let isSame = true;
  try {
    for await (const row of client.iterate({}, { signal })) {
      byPages += 1;
      if (seen.has(row['id'])) differences.push(`the pages show id ${row['id']} twice`);
      seen.add(row['id']);
      sums.add(row);
      const { done, value } = await rows.next();
      if (done !== true) byExport += 1;
      if (isSame && (done === true || JSON.stringify(value) !== JSON.stringify(row))) {
        isSame = false;
        differences.push(`pages and export differ from item ${count(byPages)} on (id ${row['id']})`);
      }
    }
    while ((await rows.next()).done !== true) byExport += 1;
  } finally {
    await rows.return();
  }
  const facets = await client.facets({}, { signal });
  if (new Set([byPages, byExport, exported.total, facets.total]).size > 1) {
    differences.push(
      `${count(byPages)} by pages, ${count(byExport)} of ${count(exported.total)} by export, ${count(facets.total)} by facets`,
    );
  }
  return { items: byPages, differences: [...differences, ...sums.differFrom(facets.sums)] };
}

/**
 * Verifies one list and prints what was found.
 * @returns whether all agree.
 * @throws {Problem}
 */
export async function verifyList(list: List, client: AccountList, signal: AbortSignal): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    const { items, differences } = await compare(list, client, signal);
    if (differences.length === 0) {
      await print([`${list.title}: ${count(items)} by pages, by export and by facets; they agree.\n`]);
      return true;
    }
    if (tries === TRIES) {
      await print([`${list.title}: they do not agree: ${shown(differences)}.\n`]);
      return false;
    }
    say(`${list.title}: ${shown(differences.slice(0, 1))}. It may have changed meanwhile: comparing again.`);
  }
}
