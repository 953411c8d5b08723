// The tool of an agent that reads the numbers as ranges, as forms of porting and telephone systems take them.

import { currencyOf } from '../client/any-list.ts';
import type { List } from '../contract/list.ts';
import type { VirtualNumbersFilters } from '../lists/virtual-numbers.ts';
import type { Schema } from '../openapi/schemas.ts';
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

/** @throws {Refused} */
function filtersOf(tool: string, schema: Schema, filters: unknown): Given {
  if (filters === undefined) return {};
  if (typeof filters !== 'object' || filters === null || Array.isArray(filters))
    throw new Refused('filters must be an object, such as {"statuses": ["active"]}.');
  const given = withoutNulls(filters as Given);
  mustBeTaken(`the filters of ${tool}`, schema, given);
  return asTyped(schema, given);
}

export function rangesTool(list: List): Tool {
  const name = `${list.name}_ranges`;
  const own = propertiesOf(list, 'ranges', ['split_by', 'min_count', 'page', 'page_size']);
  // Their schemas are in the list's tool, once.
  const all = Object.entries(propertiesOf(list, 'ranges'));
  const schema = takes(Object.fromEntries(all.filter(([one]) => !(one in own))));
  return {
    name,
    title: 'Ranges',
    description: 'Runs of numbers: `from`, `to`, `count`, for porting forms and PBXs.',
    input: takes({ filters: { type: 'object', description: `As of ${list.name}_list` }, ...own }),
    async read(client, { filters, ...given }, signal) {
      const params = paramsOf(list, { ...filtersOf(name, schema, filters), ...given }, 'ranges');
      const [{ data, page, page_size, total, total_pages }, currency = null] = await Promise.all([
        client.virtualNumbers.ranges(params as VirtualNumbersFilters, { signal }),
        currencyOf(client, signal),
      ]);
      return shortPage({ currency, data, page, page_size, total, total_pages });
    },
  };
}
