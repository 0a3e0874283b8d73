import { type Action, actions } from './role.ts'

/** An operator or API token. */
export type KnownActor = { readonly kind: 'operator' | 'token'; readonly id: string; readonly name: string }

/**
 * The author of an action. `command`: anyone with a shell on the server, or the service itself for a contact's SMS or a
 * user's app. `stranger`: a failed sign-in.
 */
export type Actor = KnownActor | { readonly kind: 'command' | 'stranger'; readonly id: null; readonly name: string }

export const COMMAND: Actor = { kind: 'command', id: null, name: 'command line' }

export const OWN_APP: Actor = { kind: 'command', id: null, name: "the user's app" }

const milestones = ['backup.made', 'test.accepted'] as const

/** Actions whose last occurrence is kept however old it is: `lastAudited`. */
export type Milestone = (typeof milestones)[number]

/** Audited actions besides those that need a role. */
const ownActions = [
  'session.opened',
  'password.changed',
  'session.proved',
  'recovery_codes.renewed',
  'passkey.added',
  'passkey.renamed',
  'passkey.removed',
  'session.refused',
  'session.ended',
  'session.revoked',
  'invitation.accepted',
  'setup.accepted',
  'contacts.changed',
  'account.changed',
  'card.changed',
  'phone.taken',
  'incident.left',
] as const

type AuditAction = Action | (typeof ownActions)[number] | Milestone

/** Every action that a row can name. */
export const auditActions: readonly AuditAction[] = [...actions, ...ownActions, ...milestones]

/**
 * One row of the audit log: who did what, when, and to whom. It names the changed fields, never their contents: it
 * holds no name, number, position, text or secret of a user, so it can outlive the user (keeping.md#erasure). The name
 * is the operator's own.
 */
export type AuditEntry = {
  /** Epoch ms. */
  readonly at: number
  readonly actor: Actor
  /** The address that the request came from. Null: the command line. */
  readonly address: string | null
  readonly action: AuditAction
  readonly appId: string | null
  /** The user concerned. Erasing that user makes it null, empties `subject` and `details`, and leaves the rest. */
  readonly userId: string | null
  /** The id of the incident, operator, token or hardware acted on. Never a user's: that is `userId`. */
  readonly subject: string | null
  readonly details: Readonly<Record<string, string | number | boolean | null | readonly string[]>>
}

/** An entry as stored. `id`: grows with each row. */
export type AuditRow = AuditEntry & { readonly id: number }

/** An entry in which rarely used fields are left empty. */
export const entry = (given: Pick<AuditEntry, 'at' | 'actor' | 'action'> & Partial<AuditEntry>): AuditEntry => ({
  address: null,
  appId: null,
  userId: null,
  subject: null,
  details: {},
  ...given,
})
