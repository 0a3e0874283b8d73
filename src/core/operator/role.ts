import { isCanary } from '../account/canary.ts'

/** From the least to the most that somebody may do. */
export const roles = ['viewer', 'operator', 'admin'] as const
export type Role = (typeof roles)[number]

/** The ids of the applications that somebody works for. Null: all, also those made later, and the site itself. */
type Scope = readonly string[] | null

/** What an operator or an API token may do. */
export type Grant = { readonly role: Role; readonly applications: Scope }

/** What an action is about: an application, or the site as a whole. */
type About = 'application' | 'site'
type Rule = readonly [least: Role, about: About]

/**
 * Everything that can be done through the operator API, with the least role. What is about the site needs a grant for
 * all applications: an admin of one application must not make an admin of all.
 */
const rules = {
  'incident.view': ['viewer', 'application'],
  'incident.export': ['operator', 'application'],
  'incident.take': ['operator', 'application'],
  'incident.untake': ['operator', 'application'],
  'incident.resolve': ['operator', 'application'],
  'incident.resume': ['operator', 'application'],
  'incident.resend': ['operator', 'application'],
  'incident.note': ['operator', 'application'],
  'incident.called_back': ['operator', 'application'],
  'drill.view': ['viewer', 'application'],
  'drill.start': ['operator', 'application'],
  'drill.end': ['operator', 'application'],
  'application.view': ['viewer', 'application'],
  'application.change': ['admin', 'application'],
  'application.secret': ['admin', 'application'],
  'application.create': ['admin', 'site'],
  'actuator.change': ['admin', 'application'],
  'actuator.test': ['operator', 'application'],
  'user.view': ['viewer', 'application'],
  'user.change': ['admin', 'application'],
  'contact.verify': ['operator', 'application'],
  'timer.view': ['viewer', 'application'],
  'timer.change': ['operator', 'application'],
  'device.view': ['viewer', 'application'],
  'device.change': ['admin', 'application'],
  'mail.view': ['operator', 'application'],
  'feedback.view': ['operator', 'application'],
  'health.view': ['viewer', 'application'],
  'incident.simulate': ['admin', 'site'],
  'node.view': ['viewer', 'site'],
  'node.drain': ['admin', 'site'],
  'clock.accept': ['admin', 'site'],
  'backup.view': ['operator', 'site'],
  'operator.manage': ['admin', 'site'],
  'token.manage': ['admin', 'site'],
  'audit.view': ['admin', 'site'],
} as const satisfies Readonly<Record<string, Rule>>

export type Action = keyof typeof rules

export const actions = Object.keys(rules) as readonly Action[]

/** Whether a grant reaches an application, whatever may be done there. */
const reaches = ({ applications }: Pick<Grant, 'applications'>, appId: string): boolean =>
  applications === null || applications.includes(appId)

/**
 * Whether somebody with this grant may do this. `appId`: the application that it is about; null for what is about the
 * site, and for a list across applications, which shows only what the grant reaches. The canary's application exists
 * for nobody (rules.md#canary): an exercise or a tracker in it would be an alarm that no screen shows.
 */
export function mayDo(grant: Grant, action: Action, appId: string | null): boolean {
  const [least, about] = rules[action]
  if (roles.indexOf(grant.role) < roles.indexOf(least)) return false
  if (about === 'site') return grant.applications === null
  return appId === null || (!isCanary(appId) && reaches(grant, appId))
}
