/** The channels that a provider in `notifications.providers` may serve. */
export const textChannels = ['sms', 'voice'] as const
export type TextChannel = (typeof textChannels)[number]

/** The failure texts for a channel that no provider serves. rules.md#providers. */
export const noProvider = {
  sms: 'no provider for texts',
  voice: 'no provider for calls',
} as const satisfies Record<TextChannel, string>
