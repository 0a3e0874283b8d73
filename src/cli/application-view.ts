import { machineTimeZone } from '../adapters/platform/system/time-zone.ts'
import type { Config } from '../config.ts'
import type { Actuators } from '../core/account/actuator.ts'
import type { Application } from '../core/account/application.ts'
import { isoAt } from '../core/ingest/event-time.ts'
import { languages, textKeys } from '../core/text/own-texts.ts'
import { type Answer, record } from './answer.ts'

const HIDDEN = '***'

/** A URL without its password, if it has one. */
function withoutPassword(address: string): string {
  const url = new URL(address)
  if (url.password === '') return address
  url.password = HIDDEN
  return url.href
}

/** The targets as shown to the operator. rules.md#secrets: `app show` never shows secrets. */
function actuatorsView({ emergency_contacts, chat, webhook }: Actuators) {
  return {
    ...(emergency_contacts && {
      emergency_contacts: emergency_contacts.httpUrl ? { httpUrl: withoutPassword(emergency_contacts.httpUrl) } : {},
    }),
    ...(chat && { chat: { ...chat, url: withoutPassword(chat.url) } }),
    ...(webhook && { webhook: { url: withoutPassword(webhook.url), signed: webhook.secret !== undefined } }),
  }
}

/** An application with its effective settings, and in `ownSettings` those set for it. */
export const applicationView = (application: Application, { notifications }: Config) => ({
  appId: application.id,
  name: application.name,
  language: application.language,
  legacy: application.legacy,
  disabled: application.disabled,
  createdAt: isoAt(application.createdAt),
  actuators: actuatorsView(application.actuators),
  allowedPrefixes: application.allowedPrefixes,
  timeZone: application.timeZone ?? machineTimeZone(),
  corsOrigins: application.corsOrigins,
  fallbackContact: application.fallbackContact,
  texts: application.texts,
  settings: { ...notifications.defaults, ...application.settings },
  ownSettings: application.settings,
})

/** The texts set for an application, sorted by language and key. */
export const ownTextsOf = ({ texts }: Application) =>
  languages.flatMap((language) =>
    textKeys.flatMap((key) => {
      const text = texts[language]?.[key]
      return text === undefined ? [] : [{ language, key, text }]
    }),
  )

export function applicationAnswer(application: Application, config: Config): Answer {
  const view = applicationView(application, config)
  const { actuators, settings, ownSettings, texts, allowedPrefixes, corsOrigins, fallbackContact, ...fields } = view
  const own = Object.fromEntries(
    ownTextsOf(application).map(({ language, key, text }) => [`text ${language} ${key}`, text]),
  )
  const rules = Object.entries(settings).map(([name, value]) => [name, settingText(value, name in ownSettings)])
  return {
    json: view,
    text: [
      record({
        ...fields,
        allowedPrefixes: allowedPrefixes.join(', ') || 'any',
        corsOrigins: corsOrigins.join(', ') || 'none',
        fallbackContact: fallbackContact === null ? 'none' : `${fallbackContact.name} ${fallbackContact.phone}`,
      }),
      record(Object.keys(actuators).length > 0 ? { ...actuators } : { actuators: 'none' }),
      record(Object.fromEntries(rules)),
      ...(Object.keys(own).length > 0 ? [record(own)] : []),
    ].join('\n\n'),
  }
}

function settingText(value: number | boolean | readonly number[], own: boolean): string {
  const words = typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value)
  return own ? `${words}  (set for this application)` : words
}
