import type { Application } from '../core/account/application.ts'
import type { AttemptOutcome } from '../core/incident/command.ts'
import { msOf, type Settings } from '../core/incident/settings.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Notification } from '../ports/notifier.ts'
import type { ApplicationStore } from '../ports/store.ts'

export type ChatParts = {
  readonly store: Pick<ApplicationStore, 'application'>
  readonly send: (notification: Notification) => Promise<AttemptOutcome>
  readonly defaults: Settings
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Pick<Ids, 'uuid'>
}

/**
 * Posts to an application's chat what is part of no incident; does nothing where it has none. `about`: what the post is
 * called among the provider's attempts. Rejects if the chat did not take it.
 */
export const postToChat =
  ({ store, send, defaults, clock, ids }: ChatParts) =>
  async (appId: string, about: string, textFor: (application: Application) => string): Promise<void> => {
    const application = await store.application(appId)
    const chat = application?.actuators.chat
    if (application == null || chat === undefined) return
    const { httpTimeoutSeconds } = { ...defaults, ...application.settings }
    const outcome = await send({
      attemptId: `${about}-${ids.uuid()}`,
      incidentId: '',
      claimedAt: clock.now(),
      timeoutMs: msOf(httpTimeoutSeconds),
      channel: 'chat',
      ...chat,
      text: textFor(application),
    })
    if (outcome.kind === 'failed') throw new Error(outcome.error)
  }
