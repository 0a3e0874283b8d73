import { Readable } from 'node:stream'
import MailComposer from 'nodemailer/lib/mail-composer'
import type { AttemptOutcome } from '../../../core/incident/command.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import { deadlineOf, refuseIfOver } from '../http/deadline.ts'
import { connectionTo, type MailServer, type SmtpConnection } from './smtp-connection.ts'
import { smtpFailure } from './smtp-failure.ts'

/**
 * A mail in plain text. `id`: the same for each repeat, so that mailboxes may recognise it. `leftMs`: as in
 * `Notification`.
 */
export type Mail = {
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
  /** BCP 47. */
  readonly language: string
  readonly timeoutMs: number
  readonly leftMs?: (() => number) | undefined
  readonly about: Readonly<Record<string, string>>
}

export type MailClient = {
  /** Never rejects. */
  send(mail: Mail): Promise<AttemptOutcome>
  /** Ends every connection. */
  close(): void
}

const PROVIDER = 'smtp'

/**
 * Sends each mail on a connection of its own: an alarm has few, and a connection kept open would be one that the server
 * may have closed. What the server took is `sent`; without an answer to the message the outcome is unknown.
 */
export function createSmtpClient(
  server: MailServer,
  { clock, log }: { clock: Pick<Clock, 'now'>; log: Log },
): MailClient {
  const open = new Set<() => void>()
  return {
    async send(mail) {
      const messageId = `<${mail.id}@${server.from.address.split('@').at(-1)}>`
      try {
        const message = await composed(mail, messageId, server.from, clock.now())
        return await handedOver(server, mail, message, { messageId, open, log })
      } catch (error) {
        log.error({ ...mail.about, reason: (error as Error).name }, 'could not compose a mail')
        return { kind: 'failed', error: 'connection failed', retryable: true }
      }
    },
    close() {
      for (const end of open) end()
    },
  }
}

const composed = (
  { to, subject, text, language }: Mail,
  messageId: string,
  from: MailServer['from'],
  now: number,
): Promise<Buffer> =>
  new MailComposer({
    from,
    to: { name: '', address: to },
    subject,
    text,
    messageId,
    date: new Date(now),
    headers: {
      // RFC 3834: no out-of-office replies, please.
      'Auto-Submitted': 'auto-generated',
      'Content-Language': language,
      Importance: 'high',
      'X-Priority': '1 (Highest)',
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build()

type HandingOver = { readonly messageId: string; readonly open: Set<() => void>; readonly log: Log }

function handedOver(
  server: MailServer,
  { to, timeoutMs, leftMs, about }: Mail,
  message: Buffer,
  { messageId, open, log }: HandingOver,
): Promise<AttemptOutcome> {
  const { login, from } = server
  const { promise, resolve } = Promise.withResolvers<AttemptOutcome>()
  let hasBegun = false
  const settle = (outcome: AttemptOutcome): void => {
    open.delete(stopped)
    over.removeEventListener('abort', timedOut)
    resolve(outcome)
    end()
  }
  const fail = (error: unknown): void => {
    const { outcome, code } = smtpFailure(error, hasBegun)
    if (outcome.kind === 'unknown' || outcome.error === 'connection failed') {
      log.warn({ ...about, provider: PROVIDER, code }, 'a mail server broke off')
    }
    settle(outcome)
  }
  const timedOut = (): void => fail(over.reason)
  const stopped = (): void => fail(new DOMException('the service stops', 'AbortError'))
  // The server has had nothing before the first byte of the message, and may have everything after it.
  const content = new Readable({
    read() {
      try {
        refuseIfOver(leftMs)
      } catch (error) {
        return void this.destroy(error as Error)
      }
      hasBegun = true
      this.push(message)
      this.push(null)
    },
  })
  const over = deadlineOf(timeoutMs, leftMs)
  open.add(stopped)
  over.addEventListener('abort', timedOut)
  const use = (connection: SmtpConnection): void => {
    connection.on('error', fail)
    const send = (): void =>
      connection.send({ from: from.address, to: [to], size: message.length }, content, (error) => {
        if (error) return fail(error)
        connection.quit()
        settle({ kind: 'sent', provider: PROVIDER, providerRef: messageId })
      })
    connection.connect((error) => {
      if (error) return fail(error)
      if (login === null) return send()
      connection.login({ ...login, credentials: login }, (refused) => (refused ? fail(refused) : send()))
    })
  }
  const end = connectionTo(server, timeoutMs, { use, failed: fail })
  return promise
}
