// Checks of values by the schemas of an OpenAPI document. A program must accept members that it does not
// know, but the service sends none that the document does not have: here all objects are closed.

import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { OWN_FIELD } from '../../api/contract/own-fields.ts';
import type { OpenApiDocument } from '../../api/openapi/openapi.ts';

/** The same part with objects that take no other members than those described. */
function closed(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closed);
  if (typeof part !== 'object' || part === null) return part;
  const members = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, closed(value)]));
  const isObject = 'properties' in part && 'type' in part && part.type === 'object';
  return isObject ? { ...members, additionalProperties: false } : members;
}

/** What is said against a value by a schema of the document; nothing if it fits. */
export type Check = (schema: object | undefined, value: unknown) => string;

/** @param isClosed whether members that are not described are faults */
export function checkBy({ components }: Pick<OpenApiDocument, 'components'>, isClosed = true): Check {
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, keywords: ['components', OWN_FIELD] });
  addFormats.default(ajv);
  ajv.addFormat('int32', { type: 'number', validate: (value) => Math.abs(value) < 2 ** 31 });
  const plain: unknown = JSON.parse(JSON.stringify(components));
  ajv.addSchema({ $id: 'document', components: isClosed ? closed(plain) : plain });
  const compiled = new WeakMap<object, ReturnType<Ajv2020['compile']>>();
  const validatorOf = (schema: object) => {
    const local: unknown = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'));
    const made = compiled.get(schema) ?? ajv.compile((isClosed ? closed(local) : local) as object);
    compiled.set(schema, made);
    return made;
  };
  return (schema = {}, value) => {
    const validate = validatorOf(schema);
    return validate(value) ? '' : ajv.errorsText(validate.errors);
  };
}
