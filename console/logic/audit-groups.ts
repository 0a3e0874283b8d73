/**
 * What the audit log is filtered by: actions that belong together, by what their names begin with, as the API takes
 * them. Each action is in one group.
 */
export const auditGroups = {
  alarms: ['incident.'],
  exercises: ['drill.'],
  shifts: ['shift.', 'on_call.'],
  people: ['user.', 'account.', 'contact.', 'contacts.', 'card.', 'phone.', 'timer.', 'app.'],
  devices: ['device.'],
  applications: ['application.', 'actuator.', 'test.'],
  access: [
    'session.',
    'password.',
    'recovery_codes.',
    'passkey.',
    'invitation.',
    'setup.accepted',
    'operator.',
    'token.',
  ],
  service: [
    'setup.view',
    'setup.change',
    'setup.test',
    'node.',
    'clock.',
    'backup.',
    'doctor.',
    'health.',
    'mail.',
    'feedback.',
    'audit.',
  ],
} as const

export type AuditGroup = keyof typeof auditGroups

/** The group of an action, or null of one that this console does not know. */
export const auditGroupOf = (action: string): AuditGroup | null =>
  (Object.keys(auditGroups) as AuditGroup[]).find((group) =>
    auditGroups[group].some((beginning) => action.startsWith(beginning)),
  ) ?? null
