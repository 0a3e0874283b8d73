import type { Refused } from '../decided.ts'
import type { TextKey } from '../text/own-texts.ts'
import type { Language } from '../text/phrases.ts'
import type { Actuators } from './actuator.ts'
import type { ActuatorType } from './actuator-types.ts'
import type { Application } from './application.ts'
import type { Settings } from './settings.ts'

/** access.md#secrets: two, so that a secret can be rotated without an outage. */
const MAX_SECRETS = 2

/** The application with one text replaced; null restores the built-in one. */
export function withText(
  application: Application,
  { language, key, text }: { readonly language: Language; readonly key: TextKey; readonly text: string | null },
): Application {
  const { [key]: _, ...others } = application.texts[language] ?? {}
  const own = text === null ? others : { ...others, [key]: text }
  const { [language]: __, ...rest } = application.texts
  return { ...application, texts: Object.keys(own).length === 0 ? rest : { ...rest, [language]: own } }
}

/** The application with one actuator's target, or without it (null), and `settings` merged into its own. */
export function withActuator<T extends ActuatorType>(
  application: Application,
  type: T,
  { target, settings }: { readonly target: Actuators[T] | null; readonly settings: Partial<Settings> },
): Application {
  const { [type]: _, ...others } = application.actuators
  return {
    ...application,
    actuators: target === null ? others : { ...others, [type]: target },
    settings: { ...application.settings, ...settings },
  }
}

/** The ids of an application's secrets, oldest first. Null: there is no such application. */
type Secrets = readonly number[] | null

/** Adds a secret, unless there are two already. access.md#secrets. */
export function decideAddSecret(
  secrets: Secrets,
): Refused<'application_not_found' | 'two_secrets_already'> | { readonly added: true } {
  if (secrets === null) return { refused: 'application_not_found' }
  return secrets.length >= MAX_SECRETS ? { refused: 'two_secrets_already' } : { added: true }
}

/** Retires the older secret. Retiring the only one would lock everyone out. */
export function decideRetireSecret(
  secrets: Secrets,
): Refused<'application_not_found' | 'only_one_secret'> | { readonly remove: number } {
  if (secrets === null) return { refused: 'application_not_found' }
  const [older, newer] = secrets
  return older === undefined || newer === undefined ? { refused: 'only_one_secret' } : { remove: older }
}
