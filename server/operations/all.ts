// All operations, for the routes of the intake and their description.

import { accountOperations } from './accounts.ts';
import { deriveFieldOperation } from './field-derive.ts';
import { fieldOperations } from './fields.ts';
import { findOperation } from './find.ts';
import { logOperations } from './logs.ts';
import type { AnyOperation } from './operation.ts';
import { type SignInSettings, signInOperations } from './sign-ins.ts';
import { tokenOperations } from './tokens.ts';
import type { WebhookSettings } from './webhook-one.ts';
import { webhookOperations } from './webhooks.ts';

export const allOperations = (
  settings: SignInSettings,
  webhooks: WebhookSettings,
): readonly AnyOperation[] => [
  ...accountOperations,
  ...tokenOperations,
  ...signInOperations(settings),
  ...Object.values(webhookOperations(webhooks)),
  ...fieldOperations,
  deriveFieldOperation,
  ...logOperations,
  findOperation,
];
