import type { Actuators } from '../account/actuator.ts'
import type { Settings } from '../account/settings.ts'
import { type Channel, type IntegrationChannel, integrationChannels } from './delivery.ts'

export const ownRuleNames = ['httpAttempts', 'httpBackoffSeconds', 'httpTimeoutSeconds'] as const

export type HttpRules = Pick<Settings, (typeof ownRuleNames)[number]>

/** The HTTP settings that chat and webhook override. */
export type OwnHttpRules = { readonly [channel in IntegrationChannel]?: Partial<HttpRules> }

/** The overrides among the actuators' settings. Empty if there are none. */
export const ownHttpRules = (actuators: Actuators): OwnHttpRules =>
  Object.fromEntries(
    integrationChannels.flatMap((channel) => {
      const own = actuators[channel]
      const rules = ownRuleNames.flatMap((name) => (own?.[name] === undefined ? [] : [[name, own[name]]]))
      return rules.length === 0 ? [] : [[channel, Object.fromEntries(rules)]]
    }),
  )

/** The HTTP settings of a channel: its own over the application's. rules.md#settings. */
export const httpRulesOf = (
  channel: Channel,
  { settings, http }: { readonly settings: HttpRules; readonly http?: OwnHttpRules },
): HttpRules => ({ ...settings, ...(channel === 'chat' || channel === 'webhook' ? http?.[channel] : undefined) })
