// All operations, for the routes of the intake and their description.

import { accountOperations } from './accounts.ts';
import { logOperations } from './logs.ts';
import type { AnyOperation } from './operation.ts';
import { type SignInSettings, signInOperations } from './sign-ins.ts';
import { tokenOperations } from './tokens.ts';

export const allOperations = (settings: SignInSettings): readonly AnyOperation[] => [
  ...accountOperations,
  ...tokenOperations,
  ...signInOperations(settings),
  ...logOperations,
];
