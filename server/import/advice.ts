// What leads from a file of another system to its import: said once of each file, and not of one with a
// mapping.

import type { List } from '@linecard/client/contract/list';
import type { ImportFile } from './files.ts';
import { NEEDS_MAPPING } from './values.ts';

function proposal(list: Pick<List, 'name'>, { name, isBody }: ImportFile): string {
  const file = /^[\w./-]*[\w/]$/.test(name) ? name : 'FILE';
  const use =
    isBody === true
      ? 'put it into the folder of "linecard-server intake --mappings", and send with ?mapping=mapping.'
      : 'then import with --mapping mapping.json.';
  return `run "linecard-server mapping propose --list ${list.name.replaceAll('_', '-')} ${file} > mapping.json", ${use}`;
}

export class Advice {
  /** Of a file whose columns are those of another system. */
  readonly foreign: string;
  #rest: string | undefined;

  constructor(list: Pick<List, 'name'>, file: ImportFile, isMapped: boolean) {
    const own = proposal(list, file);
    this.foreign = `The columns are those of another system: ${own}`;
    this.#rest = isMapped ? undefined : ` To write one, ${own}`;
  }

  /** A fault; the first one that a mapping corrects says how to write one. */
  of(fault: string): string {
    if (this.#rest === undefined || !fault.includes(NEEDS_MAPPING)) return fault;
    const advised = fault + this.#rest;
    this.#rest = undefined;
    return advised;
  }
}
