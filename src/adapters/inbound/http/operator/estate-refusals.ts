import type { Problem } from '../problem.ts'

/** Refusals about applications, users, trackers and the system. */
export const estateProblems = {
  application_not_found: { kind: 'NOT_FOUND', message: 'There is no such application.' },
  user_not_found: { kind: 'NOT_FOUND', message: 'There is no such user.' },
  hardware_not_found: { kind: 'NOT_FOUND', message: 'No tracker with this hardware id is registered.' },
  node_not_found: { kind: 'NOT_FOUND', message: 'There is no such node.' },
  one_node: { kind: 'CONFLICT', message: 'There is one node. Only a PostgreSQL database is shared (store.url).' },
  two_secrets_already: {
    kind: 'CONFLICT',
    message: 'Two secrets are valid already. Retire the older one first, once nobody uses it any more.',
  },
  only_one_secret: {
    kind: 'CONFLICT',
    message: 'Only one secret is valid, and retiring it would lock everyone out. Add another one first.',
  },
  text_is_built_in: { kind: 'CONFLICT', message: 'This text is the built-in one already.' },
  invalid_text: { kind: 'VALIDATION', message: 'The text cannot be used.' },
  url_missing: { kind: 'VALIDATION', message: '`url` is required: where to post to.' },
  invalid_target: { kind: 'VALIDATION', message: 'The target cannot be used.' },
  private_target: {
    kind: 'VALIDATION',
    message:
      'The address is private, loopback or link-local. Set notifications.allowPrivateTargets in the configuration to allow that.',
  },
  no_target: { kind: 'CONFLICT', message: 'The application has no address for this channel. Set the actuator first.' },
  number_needed: { kind: 'VALIDATION', message: '`to` is required: the number to send the test to.' },
  number_unused: { kind: 'VALIDATION', message: '`to` cannot be used: this channel has an address of its own.' },
  too_many_tests: { kind: 'RATE_LIMITED', message: 'Too many test messages. Wait, then try again.' },
  incident_open: {
    kind: 'CONFLICT',
    message: 'An incident of this user is open. It must be cancelled or resolved first.',
  },
  all_clear_pending: {
    kind: 'CONFLICT',
    message: 'The contacts are still being told that the last incident is over. Try again in a few minutes.',
  },
  messages_leave: {
    kind: 'CONFLICT',
    message: 'SMS or calls leave this machine (notifications.providers), so nothing is simulated. Send a test message.',
  },
  simulation_changed: {
    kind: 'CONFLICT',
    message:
      'The application Simulation was changed and could tell somebody. Set it back: no contact, chat or webhook.',
  },
  not_paired: { kind: 'CONFLICT', message: 'No user has paired this tracker.' },
  bad_csv: { kind: 'VALIDATION', message: 'The file cannot be used. Nothing was registered.' },
} as const satisfies Readonly<Record<string, Omit<Problem, 'more'>>>
