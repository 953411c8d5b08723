// Why a delivery is refused, as what is answered. It must not know when that is found out.

import { Problem } from '@linecard/client/contract/problems';
import { ImportRefused } from '../import/faults.ts';
import { ImportTooLarge, ImportWithheld } from '../import/outcomes.ts';
import { tooLarge } from './body.ts';
import type { IntakeOptions, Sequence } from './options.ts';
import type { Sender } from './sender.ts';

export function outOfOrder({ feed, sequence }: Sequence, last?: number): Problem {
  const than = last === undefined ? 'the last that was committed' : last;
  return new Problem(
    'out-of-order',
    `${sequence} is not newer than ${than} of the feed ${JSON.stringify(feed)}.`,
  );
}

/**
 * Refuses what a sender may not write, before anything is read.
 * @throws {Problem} `forbidden`
 */
export function mustBeAllowed({ accounts }: Sender, options: IntakeOptions): void {
  if (accounts === undefined) return;
  if (options.all === true)
    throw new Problem(
      'forbidden',
      'all=true removes items of every account, and this token may not write every one.',
    );
  if (options.account !== undefined && !accounts.includes(options.account))
    throw new Problem(
      'forbidden',
      `This token may not write the account ${JSON.stringify(options.account)}.`,
    );
}

/** An error of an import as what is answered. */
export function problemOf(error: unknown, maxBytes: number): unknown {
  if (error instanceof ImportTooLarge) return tooLarge(maxBytes);
  if (error instanceof ImportRefused) {
    const extensions = { errors: error.reported, total: error.total };
    return new Problem('rejected', error.summary, { extensions });
  }
  if (error instanceof ImportWithheld)
    return new Problem('rejected', error.message, { extensions: { errors: [], total: 0 } });
  return error;
}
