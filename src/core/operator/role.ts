import { isCanary } from '../account/canary.ts'

/** From the fewest rights to the most. */
export const roles = ['viewer', 'operator', 'admin'] as const
export type Role = (typeof roles)[number]

/** The ids of the applications in scope. Null: all, including those created later, and the site itself. */
type Scope = readonly string[] | null

/** What an operator or an API token may do. */
export type Grant = { readonly role: Role; readonly applications: Scope }

/** What an action is about: an application, or the site as a whole. */
type About = 'application' | 'site'
/**
 * Whether a change asks for the password or a code again where the last is too old (rules.md#operators). `asks`: what
 * gives access that lasts, sends an alarm elsewhere, or ends that somebody can raise one or is watched. `free`: what
 * only looks or adds, and all that the night shift does with an alarm, which nobody must need a password for.
 */
type Proof = 'asks' | 'free'
type Rule = readonly [least: Role, about: About, proof: Proof]

/**
 * Everything that can be done through the operator API, with the least role. What is about the site needs a grant for
 * all applications: an admin of one application must not make an admin of all. A route that asks where another of its
 * kind does not has an action of its own.
 */
const rules = {
  'incident.view': ['viewer', 'application', 'free'],
  'incident.export': ['operator', 'application', 'free'],
  'incident.seen': ['operator', 'application', 'free'],
  'incident.take': ['operator', 'application', 'free'],
  'incident.untake': ['operator', 'application', 'free'],
  'incident.take_over': ['operator', 'application', 'free'],
  'incident.resolve': ['operator', 'application', 'free'],
  'incident.resume': ['operator', 'application', 'free'],
  'incident.resend': ['operator', 'application', 'free'],
  'incident.alarm_now': ['operator', 'application', 'free'],
  'incident.show_position': ['operator', 'application', 'free'],
  'incident.note': ['operator', 'application', 'free'],
  'incident.called_back': ['operator', 'application', 'free'],
  'shift.view': ['viewer', 'application', 'free'],
  'shift.hand_over': ['operator', 'application', 'free'],
  'shift.accept': ['operator', 'application', 'free'],
  'shift.decline': ['operator', 'application', 'free'],
  'shift.withdraw': ['operator', 'application', 'free'],
  'shift.note': ['operator', 'application', 'free'],
  'shift.confirm': ['operator', 'application', 'free'],
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
  // It lets somebody raise alarms again.
  'user.enable': ['admin', 'application', 'free'],
  'contact.verify': ['operator', 'application', 'free'],
  'timer.view': ['viewer', 'application', 'free'],
  // One more that watches; moving one to later or ending it is what asks.
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
  'operator.manage': ['admin', 'site', 'asks'],
  'token.manage': ['admin', 'site', 'asks'],
  'audit.view': ['admin', 'site', 'free'],
} as const satisfies Readonly<Record<string, Rule>>

export type Action = keyof typeof rules

export const actions = Object.keys(rules) as readonly Action[]

/**
 * What everybody may do with their own account. A new password wants the present one by itself. Signing out one's own
 * browsers is free: it takes access away, and must be easy for someone who fears that a session was stolen.
 */
const ownRules = { own: 'free', 'own.recovery_codes': 'asks' } as const satisfies Readonly<Record<string, Proof>>

export type OwnAction = keyof typeof ownRules

export const isOwn = (action: Action | OwnAction): action is OwnAction => action in ownRules

/** Whether a change by this action wants a proof of who sits there, unless a script sends it. Looking never does. */
export const asksAgain = (action: Action | OwnAction): boolean =>
  (isOwn(action) ? ownRules[action] : rules[action][2]) === 'asks'

/** Whether a grant reaches an application, whatever may be done there. */
const reaches = ({ applications }: Pick<Grant, 'applications'>, appId: string): boolean =>
  applications === null || applications.includes(appId)

/**
 * Whether this grant allows the action. `appId`: the application concerned; null for the site itself, and for a list
 * across applications, which shows only what the grant reaches. The canary's application exists for nobody
 * (rules.md#canary): an exercise or a tracker in it would be an alarm that no screen shows.
 */
export function mayDo(grant: Grant, action: Action, appId: string | null): boolean {
  const [least, about] = rules[action]
  if (roles.indexOf(grant.role) < roles.indexOf(least)) return false
  if (about === 'site') return grant.applications === null
  return appId === null || (!isCanary(appId) && reaches(grant, appId))
}
