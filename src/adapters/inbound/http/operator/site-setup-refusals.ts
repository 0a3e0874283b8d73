import type { Refusals } from '../refusals.ts'
import { presenceRefusals } from './not-present.ts'

/** Why a change of the setup is not made. */
export const siteSetupRefusals = {
  ...presenceRefusals,
  proofs_needed: {
    kind: 'FORBIDDEN',
    message: 'This change needs your password and a code of the authenticator app, in `proof`.',
  },
  settings_changed: { kind: 'CONFLICT', message: 'Somebody has changed this meanwhile. Load the setup again.' },
  setup_part_not_found: { kind: 'NOT_FOUND', message: 'There is no such part of the setup.' },
  change_not_found: { kind: 'NOT_FOUND', message: 'There is no such change.' },
  change_too_old: { kind: 'CONFLICT', message: 'A change can be undone for seven days.' },
  other_secrets_key: { kind: 'CONFLICT', message: 'This node has another secrets key than the site.' },
  no_secrets_key: { kind: 'CONFLICT', message: 'This node cannot store secrets.' },
  test_failed: { kind: 'CONFLICT', message: 'The provider did not accept the test message: `error`.' },
  wrong_test_code: {
    kind: 'VALIDATION',
    message: 'The code is not that of the test message for these values. Send another test message.',
  },
  channel_not_served: {
    kind: 'CONFLICT',
    message: 'With these values the provider does not serve this channel: calls of Twilio need twilio.from, a number.',
  },
  text_not_tried: { kind: 'CONFLICT', message: 'The provider sends texts: try a text first.' },
  test_too_old: { kind: 'CONFLICT', message: 'The test message is too old. Send another one.' },
  last_provider: {
    kind: 'CONFLICT',
    message: 'It is the only provider: without it no message leaves. Set up another one first.',
  },
} as const satisfies Refusals
