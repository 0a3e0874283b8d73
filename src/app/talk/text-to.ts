import type { Language } from '../../core/text/phrases.ts'
import type { TextNotification } from '../../ports/notifier.ts'
import { loneText } from '../sending/lone-text.ts'

/** A text to the number that an SOS came from. `id`: its own. */
export const textTo = (
  phone: string,
  {
    id,
    text,
    language,
    now,
  }: { readonly id: string; readonly text: string; readonly language: Language; readonly now: number },
): TextNotification =>
  loneText({
    attemptId: `sms-${id}`,
    claimedAt: now,
    channel: 'sms',
    purpose: 'verification',
    to: phone,
    text,
    language,
  })
