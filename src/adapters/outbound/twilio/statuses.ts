import { errorText } from './failures.ts'

/** What a status of Twilio's says of an attempt. `final`: nothing else follows. `error`: set where it failed. */
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

/** rules.md#outcomes, for every status of a message that Twilio documents. Null: unknown, no news. */
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

/** The same for every status of a call. An answered call is delivered, whoever or whatever took it. */
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
