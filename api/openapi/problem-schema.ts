// The JSON Schema of an error.

import {
  type Fault,
  MAX_REPORTED_FAULTS,
  PROBLEM_TYPE,
  type ProblemBody,
  problems,
} from '../contract/problems.ts';
import { object, refTo, type Schema } from './schemas.ts';

const faultSchema = object(
  {
    parameter: { description: 'The parameter that is at fault.', type: 'string', examples: ['page_size'] },
    detail: {
      description: 'What is wrong with it and what is allowed, for a person.',
      type: 'string',
      examples: ['page_size must be an integer from 1 to 1000, but was "0".'],
    },
    value: { description: 'What was sent, where showing it helps.', type: 'string', examples: ['0'] },
  } satisfies Record<keyof Fault, Schema>,
  { title: 'Fault', description: 'One fault of a request.', required: ['parameter', 'detail'] },
);

export const problemSchema = object(
  {
    type: {
      description: 'Which problem it is. More may be added: treat one you do not know by its status.',
      type: 'string',
      format: 'uri',
      examples: Object.keys(problems).map((code) => PROBLEM_TYPE + code),
    },
    title: {
      description: 'The same for every problem of this type.',
      type: 'string',
      examples: ['Not found'],
    },
    status: {
      description: 'The HTTP status.',
      type: 'integer',
      format: 'int32',
      minimum: 400,
      maximum: 599,
      examples: [404],
    },
    detail: {
      description: 'What happened to this request, and what to do about it.',
      type: 'string',
      examples: ['There is no such path.'],
    },
    request_id: {
      description: 'The `X-Request-Id` of this answer: name it when you ask for help.',
      type: 'string',
      examples: ['0198d1f0-6f5b-7c3e-9a51-3b7e2f0c8d44'],
    },
    errors: {
      description: 'The faults of the query, for `invalid-parameter`: each of the first 20.',
      type: 'array',
      minItems: 1,
      maxItems: MAX_REPORTED_FAULTS,
      items: refTo(faultSchema),
    },
  } satisfies Record<keyof ProblemBody, Schema>,
  {
    title: 'Problem',
    description:
      'An error (RFC 9457). Tell errors apart by `type`; `title` and `detail` are for people and may change.',
    required: ['type', 'title', 'status', 'detail', 'request_id'],
  },
);
