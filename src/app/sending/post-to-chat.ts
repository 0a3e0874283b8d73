import type { Application } from '../../core/account/application.ts'
import { msOf, type Settings } from '../../core/account/settings.ts'
import type { AttemptOutcome } from '../../core/incident/command.ts'
import { httpRulesOf, ownHttpRules } from '../../core/incident/http-rules.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Notification } from '../../ports/notifier.ts'
import type { ApplicationStore } from '../../ports/store.ts'

export type ChatNeeds = {
  readonly store: Pick<ApplicationStore, 'application'>
  readonly send: (notification: Notification) => Promise<AttemptOutcome>
  readonly defaults: Settings
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Pick<Ids, 'uuid'>
}

/** The chat did not accept a post. `retryable`: it may accept it later. */
export class ChatRefused extends Error {
  readonly retryable: boolean

  constructor({ error, retryable }: Extract<AttemptOutcome, { kind: 'failed' }>) {
    super(error)
    this.retryable = retryable
  }
}

/**
 * Posts once to an application's chat, outside any incident and at once; does nothing if there is no chat. The caller
 * limits the rate. `about`: the name of the post among the provider's attempts. Rejects with `ChatRefused` if the chat
 * did not accept it, or with a StoreError.
 */
export const postToChat =
  ({ store, send, defaults, clock, ids }: ChatNeeds) =>
  async (appId: string, about: string, textFor: (application: Application) => string): Promise<void> => {
    const application = await store.application(appId)
    const chat = application?.actuators.chat
    if (application == null || chat === undefined) return
    const { url, format } = chat
    const settings = { ...defaults, ...application.settings }
    const { httpTimeoutSeconds } = httpRulesOf('chat', { settings, http: ownHttpRules(application.actuators) })
    const outcome = await send({
      attemptId: `${about}-${ids.uuid()}`,
      incidentId: '',
      claimedAt: clock.now(),
      timeoutMs: msOf(httpTimeoutSeconds),
      channel: 'chat',
      url,
      format,
      text: textFor(application),
    })
    if (outcome.kind === 'failed') throw new ChatRefused(outcome)
  }
