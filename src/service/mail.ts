import type { AddressGuard } from '../adapters/outbound/http/guarded-socket.ts'
import { mailSender } from '../app/sending/mail-sender.ts'
import { operatorMails } from '../app/watch/operator-mails.ts'
import { mailServerOf } from '../config/mail-server.ts'
import { writtenIn } from '../config/settings.ts'
import type { Config } from '../config.ts'
import { SECOND } from '../lib/durations.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Meter } from '../ports/meter.ts'
import type { TurnStore } from '../ports/node-store.ts'
import type { OperatorMail } from '../ports/operator-mail.ts'
import type { LiveMail, SiteMail } from './live-mail.ts'
import type { Basis } from './storage.ts'

/** How long the server may take for a mail to an operator. */
const OPERATOR_TIMEOUT_MS = 15 * SECOND

/** The mails to the administrators, while there is a server to send them. */
export function operatorMailOf(
  live: Pick<LiveMail, 'toOperator'>,
  basis: Pick<Basis, 'store' | 'clock' | 'ids' | 'log'>,
  site: () => string,
): { readonly mail: OperatorMail; stop(): Promise<void> } {
  const about = { channel: 'email', incidentId: '', attemptId: '' }
  const { mail, stop } = operatorMails({
    ...basis,
    site,
    async send(digest) {
      const outcome = live.toOperator?.({ ...digest, language: 'en', timeoutMs: OPERATOR_TIMEOUT_MS, about })
      return (await outcome) ?? { kind: 'failed', error: 'there is no mail server any more', retryable: false }
    },
  })
  return {
    stop,
    mail(subject, text) {
      if (live.toOperator !== null) mail(subject, text)
    },
  }
}

/** `smtp.url`, with its code loaded; null without it. */
export async function openMail(
  config: Pick<Config, 'smtp' | 'written'>,
  needs: {
    /** For a server that is set in the console. */
    readonly guard: AddressGuard | null
    readonly turns?: TurnStore | undefined
    readonly clock: Clock
    readonly log: Log
    readonly meter: Pick<Meter, 'count' | 'observe'>
  },
): Promise<SiteMail | null> {
  const named = mailServerOf(config)
  if (named === null) return null
  // Only someone who may write the file of this machine may lead it to its own and its neighbours' addresses.
  const server = { ...named, guard: writtenIn(config, 'smtp.url') === null ? needs.guard : null }
  const [{ createSmtpClient }, { createMailNotifier }] = await Promise.all([
    import('../adapters/outbound/smtp/smtp-client.ts'),
    import('../adapters/outbound/smtp/mail-notifier.ts'),
  ])
  const client = createSmtpClient(server, needs)
  const { perSecond, connections: maxAtOnce } = config.smtp
  const sender = mailSender(createMailNotifier(client), { ...needs, rate: { perSecond, maxAtOnce } })
  return {
    server: JSON.stringify([config.smtp.url?.reveal(), config.smtp.from]),
    sender,
    client,
    close() {
      sender.close()
      client.close()
    },
  }
}
