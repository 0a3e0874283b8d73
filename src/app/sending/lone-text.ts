import type { TextNotification } from '../../ports/notifier.ts'
import { TEXT_TIMEOUT_MS } from './compose.ts'

type Given = Pick<TextNotification, 'attemptId' | 'claimedAt' | 'channel' | 'purpose' | 'to' | 'text' | 'language'>

/** A text outside any incident, and so without a tracking link. */
export const loneText = (given: Given & Partial<TextNotification>): TextNotification => ({
  incidentId: '',
  contactId: '',
  timeoutMs: TEXT_TIMEOUT_MS,
  ackTimeoutMs: TEXT_TIMEOUT_MS,
  first: false,
  token: '',
  outsidePrefixes: false,
  provider: null,
  providerRef: null,
  otherRefs: [],
  ...given,
})
