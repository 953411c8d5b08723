// Why a delivery is refused, as what is answered.

import { Problem } from '@linecard/client/contract/problems';
import { ImportRefused, ImportRejected, ImportTooLarge } from '../import/faults.ts';
import { type Importable, type ImportOptions, isTable, type SummaryResult } from '../import/job.ts';
import { intakeLimits } from '../limits/intake-limits.ts';
import { Refusal } from '../store/access/refusals.ts';
import type { Operation } from '../store/access/token-scopes.ts';
import type { OtherAccount } from '../store/store.ts';
import { tooLarge } from './body.ts';
import type { Sequence } from './options.ts';
import type { Sender } from './sender.ts';

export function outOfOrder({ feed, sequence }: Sequence, last?: number): Problem {
  const than = last === undefined ? 'the last that was committed' : last;
  return new Problem(
    'out-of-order',
    `${sequence} is not newer than ${than} of the feed ${JSON.stringify(feed)}.`,
  );
}

/**
 * Refuses a token that is meant for something else than a route does.
 * @throws {Problem} `forbidden`; `unauthenticated` for a signed request, whose sender is not known yet
 */
export function mustBeMeantFor(operation: Operation, { may, delivery }: Sender): void {
  if (may.includes(operation)) return;
  if (delivery !== undefined)
    throw new Problem('unauthenticated', 'A signed request can only import: send an operator token.');
  throw new Refusal(
    'forbidden',
    `This token is for ${may.join(', ')}, not for ${operation}. Use one that was created with \`token create --operator --may ${operation}\`.`,
    'token_purpose',
  );
}

/**
 * Refuses what a sender may not write, before anything is read.
 * @throws {Problem} `forbidden`
 */
export function mustBeAllowed({ accounts }: Sender, options: ImportOptions): void {
  if (accounts === undefined) return;
  if (options.replace_all === true)
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

/** Refuses a body for what it would change; an account that it does not name stays unnamed. */
export function notAllowed(table: Importable, { account_id, named }: OtherAccount): Problem {
  const what =
    named > 0
      ? `This token may not write the account ${JSON.stringify(account_id)}. Nothing was changed.`
      : isTable(table)
        ? 'An item of the body is on an account that this token may not write. Nothing was changed.'
        : 'An account of the body is below one that this token may not write. Nothing was changed. Leave its parent_id out.';
  return new Problem('forbidden', what);
}

/** A dry run of what would be refused: refused as that would be, with what would be done to the list. */
export function rejectedTrial(summary: SummaryResult, why: string): Problem {
  const extensions = { errors: [], total: 0, summary };
  return new Problem('rejected', `Without dry_run it would be refused. ${why}`, { extensions });
}

export function problemOf(error: unknown, maxBytes: number): unknown {
  if (error instanceof ImportTooLarge) return tooLarge(maxBytes);
  if (error instanceof ImportRefused) {
    const extensions = { errors: error.reported, total: error.total };
    return new Problem('rejected', error.summary, { extensions });
  }
  if (error instanceof ImportRejected)
    return new Problem('rejected', error.message, { extensions: { errors: [], total: 0 } });
  return error;
}

/** Another import has not ended in time. */
export function late(timeoutMs: number): Problem {
  const seconds = Math.round(timeoutMs / 1_000);
  const detail = `Another import has not ended for ${seconds} seconds. Nothing was changed; try again later.`;
  const headers = { 'retry-after': String(intakeLimits.importWait.retrySeconds) };
  return new Problem('unavailable', detail, { headers });
}

export function tooSlow(): Problem {
  const { each } = intakeLimits.importTime;
  return new Problem(
    'request-timeout',
    `The import took longer than ${each} minutes. Nothing was changed; send it in parts.`,
  );
}
