import { errorText } from './failures.ts'

/**
 * The meaning of one of Twilio's statuses for an attempt. `final`: no other status follows. `error`: set if it failed.
 */
export type StatusReceipt = {
  readonly status: 'sent' | 'delivered' | 'failed'
  readonly error: string | null
  readonly final: boolean
}

const sent: StatusReceipt = { status: 'sent', error: null, final: false }
const delivered: StatusReceipt = { status: 'delivered', error: null, final: true }
const failed = (error: string): StatusReceipt => ({ status: 'failed', error, final: true })

const failedWith = (status: string, errorCode: number | null): StatusReceipt =>
  failed(errorCode === null ? status : errorText(errorCode))

/** rules.md#outcomes, for every documented status of a message. Null: unknown, so no news. */
export function messageReceipt(status: string, errorCode: number | null): StatusReceipt | null {
  switch (status) {
    case 'accepted':
    case 'scheduled':
    case 'queued':
    case 'sending':
    case 'sent':
    case 'receiving':
    case 'received':
      return sent
    case 'delivered':
    case 'read':
    case 'partially_delivered':
      return delivered
    case 'undelivered':
    case 'failed':
    case 'canceled':
      return failedWith(status, errorCode)
    default:
      return null
  }
}

/** The same for every status of a call. An answered call counts as delivered, no matter who or what answered. */
export function callReceipt(status: string, errorCode: number | null = null): StatusReceipt | null {
  switch (status) {
    case 'queued':
    case 'initiated':
    case 'ringing':
      return sent
    case 'in-progress':
    case 'answered':
    case 'completed':
      return delivered
    case 'busy':
    case 'no-answer':
    case 'failed':
    case 'canceled':
      return failedWith(status, errorCode)
    default:
      return null
  }
}
