import type { Actuators } from '../../core/account/actuator.ts'
import type { Application } from '../../core/account/application.ts'
import type { Settings } from '../../core/account/settings.ts'
import { NO_WEB_APP, shownEmergencyNumber, type WebAppSettings } from '../../core/account/web-app.ts'
import { isoAt } from '../../core/ingest/event-time.ts'
import { languages, textKeys } from '../../core/text/own-texts.ts'

const HIDDEN = '***'

/** A URL without its password, if it has one. */
function withoutPassword(address: string): string {
  const url = new URL(address)
  if (url.password === '') return address
  url.password = HIDDEN
  return url.href
}

/** The targets as shown to the operator. access.md#secrets: no secret is shown again. */
function actuatorsView({ emergency_contacts, chat, webhook }: Actuators) {
  return {
    ...(emergency_contacts && {
      emergency_contacts: emergency_contacts.httpUrl ? { httpUrl: withoutPassword(emergency_contacts.httpUrl) } : {},
    }),
    ...(chat && { chat: { ...chat, url: withoutPassword(chat.url) } }),
    ...(webhook && { webhook: webhookView(webhook) }),
  }
}

const webhookView = ({ url, secret, ...rules }: NonNullable<Actuators['webhook']>) => ({
  url: withoutPassword(url),
  signed: secret !== undefined,
  ...rules,
})

/** The app in the box as shown. `timeZone`: the application's. */
const webAppView = (webApp: WebAppSettings, timeZone: string) => ({
  on: webApp.isOn,
  colour: webApp.colour,
  country: webApp.country,
  emergencyNumber: shownEmergencyNumber(webApp, timeZone),
})

/** The defaults for settings that an application does not set. */
export type SiteDefaults = { readonly settings: Settings; readonly timeZone: string }

/** An application with its effective settings, and those set for it in `ownSettings`. */
export const applicationView = (application: Application, { settings, timeZone }: SiteDefaults) => ({
  appId: application.id,
  name: application.name,
  language: application.language,
  legacy: application.legacy,
  disabled: application.disabled,
  createdAt: isoAt(application.createdAt),
  actuators: actuatorsView(application.actuators),
  allowedPrefixes: application.allowedPrefixes,
  timeZone: application.timeZone ?? timeZone,
  corsOrigins: application.corsOrigins,
  fallbackContact: application.fallbackContact,
  silentAfterMinutes: application.silentAfterMinutes,
  verifyContacts: application.verifyContacts,
  silentByDefault: application.silentByDefault,
  relays: application.relays,
  mapLink: application.mapLink,
  webApp: webAppView(application.webApp ?? NO_WEB_APP, application.timeZone ?? timeZone),
  smsSos: application.smsSos,
  smsNumber: application.smsNumber,
  texts: application.texts,
  settings: { ...settings, ...application.settings },
  ownSettings: application.settings,
})

const hostOf = (address: string): string => `${new URL(address).origin}/${HIDDEN}`

/**
 * The actuators as shown to operators who may not change them: only the host of each target. The rest of a chat's
 * address is often enough to post there.
 */
export function withoutTargets({ emergency_contacts, chat, webhook }: ReturnType<typeof actuatorsView>) {
  return {
    ...(emergency_contacts && {
      emergency_contacts: 'httpUrl' in emergency_contacts ? { httpUrl: hostOf(emergency_contacts.httpUrl) } : {},
    }),
    ...(chat && { chat: { ...chat, url: hostOf(chat.url) } }),
    ...(webhook && { webhook: { ...webhook, url: hostOf(webhook.url) } }),
  }
}

/** The texts set for an application, sorted by language and key. */
export const ownTextsOf = ({ texts }: Application) =>
  languages.flatMap((language) =>
    textKeys.flatMap((key) => {
      const text = texts[language]?.[key]
      return text === undefined ? [] : [{ language, key, text }]
    }),
  )
