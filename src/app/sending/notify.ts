import type { Begin, Notification, Notifier } from '../../ports/notifier.ts'

type On<C extends Notification['channel']> = Notifier<Extract<Notification, { channel: C }>>

/** One notifier a kind of channel. Text is SMS and calls, which a provider takes together. */
export type Notifiers = {
  readonly text: On<'sms' | 'voice'>
  readonly http: On<'http'>
  readonly chat: On<'chat'>
  readonly webhook: On<'webhook'>
}

/** Hands every notification to the notifier of its channel. */
export function notifierOf(notifiers: Notifiers): Notifier {
  const ask = (question: 'send' | 'lookUp', notification: Notification, begin?: Begin) => {
    switch (notification.channel) {
      case 'sms':
      case 'voice':
        return notifiers.text[question](notification, begin)
      case 'http':
        return notifiers.http[question](notification)
      case 'chat':
        return notifiers.chat[question](notification)
      case 'webhook':
        return notifiers.webhook[question](notification)
      default:
        return notification satisfies never
    }
  }
  return {
    queued: notifiers.text.queued ?? [],
    inTurn: notifiers.text.inTurn ?? 1,
    send: (notification, begin) => ask('send', notification, begin),
    lookUp: (notification) => ask('lookUp', notification),
  }
}
