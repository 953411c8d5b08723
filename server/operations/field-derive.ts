// A field that is derived, filled again: a run that is recorded as an import is.

import { deriveField } from '../import/derive.ts';
import { ImportRejected } from '../import/faults.ts';
import type { ImportProgress } from '../import/job.ts';
import { tables } from '../store/tables.ts';
import { trueOrFalse, withDefault } from './field.ts';
import { ID, mustBeOfAll, mustFind, PATH, partsOf } from './fields.ts';
import { answered } from './members.ts';
import { operation, Unable } from './operation.ts';
import { type Shape, shapeSchema } from './shape.ts';

const COUNT = { type: 'integer', minimum: 0 } as const;

const DERIVED: Shape = {
  rows: answered('How many items were read: those whose value was empty, or all.', COUNT, 1_200),
  updated: answered('How many of them have another value now.', COUNT, 1_150),
};

export const deriveFieldOperation = operation({
  words: 'field derive',
  title: 'Fill a field again',
  about: 'Fill a derived field again where it is empty, such as after an upgrade, as a run of an import.',
  of: 'the request',
  id: ID,
  takes: {
    all: withDefault(
      trueOrFalse({
        about: 'Whether items with a value get the derived one, too, in the place of what was imported.',
        example: false,
      }),
      false,
    ),
  },
  shown: ['all'],
  route: {
    ...{ method: 'POST', path: `${PATH}/derive`, status: 200, permission: 'fields', on: 'slow' },
    answer: { schema: shapeSchema(DERIVED, 'DerivedField'), about: 'What the run did.' },
  },
  async run({ store, by, waits = {} }, { all }, id) {
    mustBeOfAll(by);
    const [list, name] = partsOf(id);
    const { derive } = await mustFind({ store }, list, name);
    if (derive === null)
      throw new Unable('conflict', `The field ${name} of ${list} is not derived.`, {
        words: 'field change',
        lead: 'Say how first',
      });
    const { origin, actor } = by;
    const provenance = { origin, actor, source: `field derive ${name}` };
    try {
      const { onWait, ...others } = waits;
      const onProgress = ({ doing }: ImportProgress) => doing === 'waiting' && onWait?.();
      const job = { store, table: tables[list], provenance, onProgress, ...others };
      const { rows, updated } = await deriveField(job, name, all);
      return { rows, updated };
    } catch (error) {
      throw error instanceof ImportRejected ? new Unable('conflict', error.message) : error;
    }
  },
});
