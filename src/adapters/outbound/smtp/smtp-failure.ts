import type { AttemptOutcome } from '../../../core/incident/command.ts'
import { failureText } from '../http/http-failure.ts'

type Failed = Extract<AttemptOutcome, { kind: 'failed' | 'unknown' }>

/** An error of a mail server. All fields are nodemailer's, and each may be missing. */
type SmtpError = {
  readonly code?: string
  /** Of the system, where nodemailer gives its own `code`. */
  readonly originalCode?: string
  readonly responseCode?: number
  readonly command?: string
}

/**
 * The outcome that an error means. A reply of the server is clear at any stage; without one, a message that had begun
 * to leave may have arrived. A 5xx is final where it is about this mail (its recipient or its content). Where it is
 * about the login, the sender or the connection, the operator can put it right. rules.md#email.
 */
export function smtpFailure(error: unknown, hasBegun: boolean): { readonly outcome: Failed; readonly code: string } {
  const { code = '', originalCode = '', responseCode, command = '' } = (error ?? {}) as SmtpError
  const known = String(originalCode || code)
  const failed = (text: string, retryable = true) => ({
    outcome: { kind: 'failed', error: text, retryable } as const,
    code: known,
  })
  if (code === 'EAUTH' || code === 'ENOAUTH') return failed('login refused')
  if (code === 'ETLS' && responseCode !== undefined) return failed('no encryption offered')
  if (responseCode !== undefined) {
    const isAboutMail = command === 'RCPT TO' || command === 'DATA'
    return failed(`upstream SMTP ${responseCode}`, responseCode < 500 || !isAboutMail)
  }
  if (hasBegun) return { outcome: { kind: 'unknown' }, code: known }
  if (code === 'EENVELOPE') return failed('invalid address', false)
  if (code === 'EDNS') return failed('name not found')
  if (code === 'ECONNECTION') return failed('connection reset')
  const { name = '', cause } = error instanceof Error ? error : {}
  return failed(failureText(Object.assign(new Error('', { cause }), { name, code: known })))
}
