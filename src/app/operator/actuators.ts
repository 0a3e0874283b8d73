import { type Actuators, actuatorsSchema } from '../../core/account/actuator.ts'
import type { ActuatorType } from '../../core/account/actuator-types.ts'
import type { Application } from '../../core/account/application.ts'
import type { Settings } from '../../core/account/settings.ts'
import { ownRuleNames } from '../../core/incident/http-rules.ts'
import { fieldMessage } from '../../core/ingest/field-message.ts'
import type { AuditStore } from '../../ports/store.ts'
import { type By, rowBy } from './by.ts'

type ActuatorNeeds = {
  readonly store: AuditStore
  /** Whether calls to this address would be refused (access.md#address-guard). */
  readonly isBlocked: (url: string) => Promise<boolean>
}

/** The options that make up an actuator's target, by type. */
export const targetOptions = {
  emergency_contacts: ['httpUrl'],
  chat: ['url', 'format'],
  webhook: ['url', 'secret'],
} as const satisfies Record<ActuatorType, readonly string[]>

/** The given options of a target: `false` or null removes one, an absent one stays as it is. */
export type TargetGiven = Readonly<Record<string, unknown>>
type Issue = NonNullable<ReturnType<typeof actuatorsSchema.safeParse>['error']>['issues'][number]

type Refused =
  | { readonly refused: 'application_not_found' | 'url_missing' | 'private_target' }
  /** `issue`: of the schema, with the path inside the target. */
  | { readonly refused: 'invalid_target'; readonly issue: Issue }

/**
 * Adds an actuator or changes the given options of one, and merges `settings` into the application's. Chat and webhook
 * keep HTTP settings of their own. rules.md#settings.
 */
export async function setActuator(
  { store, isBlocked }: ActuatorNeeds,
  { id, actuators }: Application,
  type: ActuatorType,
  given: { readonly target: TargetGiven; readonly settings: Partial<Settings> },
  by: By,
): Promise<Application | Refused> {
  const isContacts = type === 'emergency_contacts'
  const target = targetOf(type, actuators[type], isContacts ? given.target : { ...given.target, ...given.settings })
  if (!isContacts && target.url === undefined) return { refused: 'url_missing' }
  const checked = actuatorsSchema.safeParse({ [type]: target }, { error: fieldMessage })
  if (!checked.success) {
    const issue = checked.error.issues[0]!
    return { refused: 'invalid_target', issue: { ...issue, path: issue.path.slice(1) } }
  }
  if (typeof given.target.url === 'string' && (await isBlocked(given.target.url))) return { refused: 'private_target' }
  const fields = [...Object.keys(given.target), ...Object.keys(given.settings)]
  const row = rowBy(by, { action: 'actuator.change', appId: id, subject: type, details: { change: 'set', fields } })
  return store
    .audited(row)
    .setActuator(id, type, checked.data[type], isContacts ? given.settings : withoutOwn(given.settings))
}

const isOwn = (name: string): boolean => ownRuleNames.some((own) => own === name)

const withoutOwn = (settings: Partial<Settings>): Partial<Settings> =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => !isOwn(name)))

/** Removes an actuator with its target and own HTTP settings, and writes an audit row. */
export function removeActuator(
  { store }: Pick<ActuatorNeeds, 'store'>,
  appId: string,
  type: ActuatorType,
  by: By,
): Promise<Application | { readonly refused: 'application_not_found' }> {
  const row = rowBy(by, { action: 'actuator.change', appId, subject: type, details: { change: 'removed' } })
  return store.audited(row).setActuator(appId, type, null, {})
}

/** The configured target with the given options applied. */
function targetOf(type: ActuatorType, configured: Actuators[ActuatorType], given: TargetGiven): TargetGiven {
  const names = type === 'emergency_contacts' ? targetOptions[type] : [...targetOptions[type], ...ownRuleNames]
  const options = names.flatMap((name) => (name in given ? [[name, given[name]]] : []))
  const merged = { ...configured, ...Object.fromEntries(options) }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== false && value !== null))
}
