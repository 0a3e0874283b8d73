import type { Actuators } from '../account/actuator.ts'
import type { Settings } from '../account/settings.ts'
import { type Channel, type IntegrationChannel, integrationChannels } from './delivery.ts'

export const ownRuleNames = ['httpAttempts', 'httpBackoffSeconds', 'httpTimeoutSeconds'] as const

export type HttpRules = Pick<Settings, (typeof ownRuleNames)[number]>

/** What chat and webhook have set for themselves. */
export type OwnHttpRules = { readonly [channel in IntegrationChannel]?: Partial<HttpRules> }

/** Of the actuators, what they have set for themselves. Empty where nothing is. */
export const ownHttpRules = (actuators: Actuators): OwnHttpRules =>
  Object.fromEntries(
    integrationChannels.flatMap((channel) => {
      const own = actuators[channel]
      const rules = ownRuleNames.flatMap((name) => (own?.[name] === undefined ? [] : [[name, own[name]]]))
      return rules.length === 0 ? [] : [[channel, Object.fromEntries(rules)]]
    }),
  )

/** The rules for a channel: its own over those of the application. rules.md#settings. */
export const httpRulesOf = (
  channel: Channel,
  { settings, http }: { readonly settings: HttpRules; readonly http?: OwnHttpRules },
): HttpRules => ({ ...settings, ...(channel === 'chat' || channel === 'webhook' ? http?.[channel] : undefined) })
