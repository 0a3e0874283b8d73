import { machineTimeZone } from '../adapters/platform/system/clock.ts'
import { applicationView, ownTextsOf } from '../app/operator/application-view.ts'
import type { Config } from '../config.ts'
import type { Application } from '../core/account/application.ts'
import { silentAfterText } from '../core/account/silence.ts'
import { type Answer, record } from './answer.ts'

export const applicationViewIn = (application: Application, { notifications }: Config) =>
  applicationView(application, { settings: notifications.defaults, timeZone: machineTimeZone() })

export function applicationAnswer(application: Application, config: Config): Answer {
  const view = applicationViewIn(application, config)
  const {
    actuators,
    settings,
    ownSettings,
    texts,
    allowedPrefixes,
    corsOrigins,
    fallbackContact,
    silentAfterMinutes,
    verifyContacts,
    webApp,
    smsSos,
    smsNumber,
    ...fields
  } = view
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
        silentAfter: silentAfterText(silentAfterMinutes),
        verifyContacts: verifyContacts ? 'on' : 'off',
        webApp: webApp.on ? `on, ${webApp.colour}, emergency number ${webApp.emergencyNumber}` : 'off',
        smsSos: smsSos ? 'on' : 'off',
        smsNumber: smsNumber ?? 'none',
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
