import { isCanary } from '../account/canary.ts'

/** In ascending order of rights. */
export const roles = ['viewer', 'operator', 'admin'] as const
export type Role = (typeof roles)[number]

/** The ids of the applications in scope. Null: all, including those created later, and the site itself. */
type Scope = readonly string[] | null

/** The rights of an operator or an API token. */
export type Grant = { readonly role: Role; readonly applications: Scope }

/** The object of an action: an application, or the site as a whole. */
type About = 'application' | 'site'
/**
 * Whether a change asks for the password or a code again if the last one is too old (access.md#operators). `asks`:
 * actions that give lasting access, redirect an alarm, or stop somebody from raising one or being watched. `free`:
 * actions that only look or add, and everything that the night shift does with an alarm, which must never need a
 * password.
 */
type Proof = 'asks' | 'free'
type Rule = readonly [least: Role, about: About, proof: Proof]

/**
 * Every action of the operator API, with the least role. Actions on the site need a grant for all applications: an
 * admin of one application must not make an admin of all. A route whose proof differs from that of similar ones has its
 * own action.
 */
const rules = {
  'incident.view': ['viewer', 'application', 'free'],
  'incident.export': ['operator', 'application', 'free'],
  'incident.seen': ['operator', 'application', 'free'],
  'incident.major': ['operator', 'application', 'free'],
  'incident.take': ['operator', 'application', 'free'],
  'incident.untake': ['operator', 'application', 'free'],
  'incident.take_over': ['operator', 'application', 'free'],
  'incident.resolve': ['operator', 'application', 'free'],
  'incident.resume': ['operator', 'application', 'free'],
  'incident.resend': ['operator', 'application', 'free'],
  'incident.alarm_now': ['operator', 'application', 'free'],
  'incident.show_position': ['operator', 'application', 'free'],
  'incident.card': ['operator', 'application', 'free'],
  'incident.note': ['operator', 'application', 'free'],
  'incident.message': ['operator', 'application', 'free'],
  'incident.called_back': ['operator', 'application', 'free'],
  'shift.view': ['viewer', 'application', 'free'],
  'shift.hand_over': ['operator', 'application', 'free'],
  'shift.accept': ['operator', 'application', 'free'],
  'shift.decline': ['operator', 'application', 'free'],
  'shift.withdraw': ['operator', 'application', 'free'],
  'shift.note': ['operator', 'application', 'free'],
  'shift.confirm': ['operator', 'application', 'free'],
  'on_call.view': ['viewer', 'application', 'free'],
  // Puts the caller's own number, which an administrator has entered, in the place of another.
  'on_call.take': ['operator', 'application', 'free'],
  'on_call.change': ['admin', 'site', 'asks'],
  'drill.view': ['viewer', 'application', 'free'],
  'drill.start': ['operator', 'application', 'free'],
  'drill.end': ['operator', 'application', 'free'],
  'application.view': ['viewer', 'application', 'free'],
  'application.change': ['admin', 'application', 'asks'],
  'application.secret': ['admin', 'application', 'asks'],
  'application.create': ['admin', 'site', 'asks'],
  'actuator.change': ['admin', 'application', 'asks'],
  'actuator.test': ['operator', 'application', 'free'],
  'user.view': ['viewer', 'application', 'free'],
  'user.change': ['admin', 'application', 'asks'],
  // Lets somebody raise alarms again.
  'user.enable': ['admin', 'application', 'free'],
  // Gives lasting access.
  'app.invite': ['admin', 'application', 'asks'],
  // Takes a way in away.
  'app.invite_end': ['operator', 'application', 'free'],
  'contact.verify': ['operator', 'application', 'free'],
  'timer.view': ['viewer', 'application', 'free'],
  // Adds a timer that watches; postponing or ending one asks.
  'timer.set': ['operator', 'application', 'free'],
  'timer.change': ['operator', 'application', 'asks'],
  'device.view': ['viewer', 'application', 'free'],
  'device.change': ['admin', 'application', 'asks'],
  'mail.view': ['operator', 'application', 'free'],
  'feedback.view': ['operator', 'application', 'free'],
  'health.view': ['viewer', 'application', 'free'],
  'incident.simulate': ['admin', 'site', 'free'],
  'node.view': ['viewer', 'site', 'free'],
  'node.drain': ['admin', 'site', 'asks'],
  'clock.accept': ['admin', 'site', 'asks'],
  'backup.view': ['operator', 'site', 'free'],
  'doctor.view': ['admin', 'site', 'free'],
  'setup.view': ['admin', 'site', 'free'],
  'setup.change': ['admin', 'site', 'asks'],
  'setup.test': ['admin', 'site', 'asks'],
  'operator.manage': ['admin', 'site', 'asks'],
  'token.manage': ['admin', 'site', 'asks'],
  'audit.view': ['admin', 'site', 'free'],
} as const satisfies Readonly<Record<string, Rule>>

export type Action = keyof typeof rules

export const actions = Object.keys(rules) as readonly Action[]

/**
 * The actions on one's own account. A new password asks for the present one anyway. Signing out one's own browsers is
 * free: it takes access away, and must be easy for someone who fears that a session was stolen.
 */
const ownRules = { own: 'free', 'own.recovery_codes': 'asks', 'own.passkeys': 'asks' } as const satisfies Readonly<
  Record<string, Proof>
>

export type OwnAction = keyof typeof ownRules

/** Whether an action concerns the caller's own account. */
export const isOwn = (action: Action | OwnAction): action is OwnAction => action in ownRules

/**
 * Whether a change by this action asks for proof of who is at the screen, unless a script sends it. Looking never does.
 */
export const asksAgain = (action: Action | OwnAction): boolean =>
  (isOwn(action) ? ownRules[action] : rules[action][2]) === 'asks'

/** Whether a grant covers an application, whatever the action. */
const reaches = ({ applications }: Pick<Grant, 'applications'>, appId: string): boolean =>
  applications === null || applications.includes(appId)

/**
 * Whether this grant allows the action. `appId`: the application concerned; null for the site itself, and for a list
 * across applications, which shows only what the grant covers. No grant covers the canary's application
 * (keeping.md#canary): a drill or a tracker in it would be an alarm that no screen shows.
 */
export function mayDo(grant: Grant, action: Action, appId: string | null): boolean {
  const [least, about] = rules[action]
  if (roles.indexOf(grant.role) < roles.indexOf(least)) return false
  if (about === 'site') return grant.applications === null
  return appId === null || (!isCanary(appId) && reaches(grant, appId))
}
