import type { AttemptOutcome } from '../../core/incident/command.ts'
import { textLanguage } from '../../core/text/phrases.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { TextNotification } from '../../ports/notifier.ts'
import { loneText } from '../sending/lone-text.ts'

export type TextNeeds = {
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Pick<Ids, 'uuid'>
  readonly sendText: (text: TextNotification) => Promise<AttemptOutcome>
}

/** Sends a text to a user's own number behind every alarm; not at all after `until`. `languages`: preferred first. */
export function textToUser(
  { clock, ids, sendText }: TextNeeds,
  languages: readonly string[],
  { to, text, until }: { readonly to: string; readonly text: string; readonly until: number },
): Promise<AttemptOutcome> {
  return sendText(
    loneText({
      attemptId: `code-${ids.uuid()}`,
      claimedAt: clock.now(),
      channel: 'sms',
      purpose: 'verification',
      ...{ to, text },
      language: textLanguage(languages),
      leftMs: () => Math.max(0, until - clock.now()),
    }),
  )
}
