// The tool of an agent that reads the numbers as ranges, as forms of porting and telephone systems take them.

import { currencyOf } from '../client/any-list.ts';
import { virtual_numbers } from '../contract/virtual-numbers.ts';
import type { VirtualNumbersFilters } from '../lists/virtual-numbers.ts';
import {
  asTyped,
  type Given,
  mustBeTaken,
  paramsOf,
  propertiesOf,
  Refused,
  shortPage,
  type Tool,
  takes,
  withoutNulls,
} from './input.ts';

const NAME = 'virtual_numbers_ranges';
const OWN = propertiesOf(virtual_numbers, 'ranges', ['split_by', 'min_count', 'page', 'page_size']);
/** Their schemas are in the list's tool, once. */
const FILTERS = takes(
  Object.fromEntries(
    Object.entries(propertiesOf(virtual_numbers, 'ranges')).filter(([name]) => !(name in OWN)),
  ),
);

/** @throws {Refused} */
function filtersOf(filters: unknown): Given {
  if (filters === undefined) return {};
  if (typeof filters !== 'object' || filters === null || Array.isArray(filters))
    throw new Refused('filters must be an object, such as {"statuses": ["active"]}.');
  const given = withoutNulls(filters as Given);
  mustBeTaken(`the filters of ${NAME}`, FILTERS, given);
  return asTyped(FILTERS, given);
}

export const rangesTool: Tool = {
  name: NAME,
  title: 'Ranges',
  description: 'Runs of numbers: `from`, `to`, `count`, for porting forms and PBXs.',
  input: takes({
    filters: { type: 'object', description: `As of ${virtual_numbers.name}_list` },
    ...OWN,
  }),
  async read(client, { filters, ...given }, signal) {
    const params = paramsOf(virtual_numbers, { ...filtersOf(filters), ...given }, 'ranges');
    const [{ data, page, page_size, total, total_pages }, currency = null] = await Promise.all([
      client.virtualNumbers.ranges(params as VirtualNumbersFilters, { signal }),
      currencyOf(client, signal),
    ]);
    return shortPage({ currency, data, page, page_size, total, total_pages });
  },
};
