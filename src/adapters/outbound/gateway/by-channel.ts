import { noProvider, type TextChannel, textChannels } from '../../../core/incident/text-channels.ts'
import type { Log } from '../../../ports/log.ts'
import type { Notifier } from '../../../ports/notifier.ts'
import { createProviderChain, type Provider, type Text } from './provider-chain.ts'

/** A provider and what it can do. Decisions 8, *What a gateway can do*. */
export type AbleProvider = Provider & { readonly channels: readonly TextChannel[] }

/** `providers`, in order of preference, as one: each channel goes to those only that can do it, and fails at once where there is none. */
export function byChannel(providers: readonly AbleProvider[], log: Log): Notifier<Text> {
  const ways = { sms: wayOf('sms', providers, log), voice: wayOf('voice', providers, log) }
  return {
    queued: textChannels.filter((channel) => ways[channel].queued?.includes(channel)),
    inTurn: Math.max(...textChannels.map((channel) => ways[channel].inTurn ?? 1)),
    send: (text, begin) => ways[text.channel].send(text, begin),
    lookUp: (text) => ways[text.channel].lookUp(text),
  }
}

function wayOf(channel: TextChannel, providers: readonly AbleProvider[], log: Log): Notifier<Text> {
  const [first, ...others] = providers.filter(({ channels }) => channels.includes(channel))
  if (first === undefined) return nobody(channel)
  return others.length === 0 ? first.notifier : createProviderChain([first, ...others], log)
}

const nobody = (channel: TextChannel): Notifier<Text> => ({
  send: async () => ({ kind: 'failed', error: noProvider[channel], retryable: false }),
  lookUp: async () => ({ kind: 'not_found' }),
})
