import type { MailClient } from '../adapters/outbound/smtp/smtp-client.ts'
import { type MailSender, mailSender } from '../app/sending/mail-sender.ts'
import { operatorMails } from '../app/watch/operator-mails.ts'
import { mailServerOf } from '../config/mail-server.ts'
import type { Config } from '../config.ts'
import { SECOND } from '../lib/durations.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Meter } from '../ports/meter.ts'
import type { TurnStore } from '../ports/node-store.ts'
import type { OperatorMail } from '../ports/operator-mail.ts'
import type { Basis } from './storage.ts'

/** The mail server: `sender` for contacts, in a lane; `client` for everything else. */
type SiteMail = { readonly sender: MailSender; readonly client: MailClient; close(): void }

/** How long the server may take for a mail to an operator. */
const OPERATOR_TIMEOUT_MS = 15 * SECOND

/** The mails to the administrators through this server; null: there is none. */
export function operatorMailOf(
  client: MailClient | null,
  basis: Pick<Basis, 'store' | 'clock' | 'ids' | 'log'>,
  site: string,
): { readonly mail: OperatorMail; stop(): Promise<void> } {
  if (client === null) return { mail() {}, stop: async () => {} }
  const about = { channel: 'email', incidentId: '', attemptId: '' }
  return operatorMails({
    ...basis,
    site,
    send: (digest) => client.send({ ...digest, language: 'en', timeoutMs: OPERATOR_TIMEOUT_MS, about }),
  })
}

/** `smtp.url`, with its code loaded; null without it. */
export async function openMail(
  config: Pick<Config, 'smtp'>,
  needs: {
    readonly turns?: TurnStore | undefined
    readonly clock: Clock
    readonly log: Log
    readonly meter: Pick<Meter, 'count' | 'observe'>
  },
): Promise<SiteMail | null> {
  const server = mailServerOf(config)
  if (server === null) return null
  const [{ createSmtpClient }, { createMailNotifier }] = await Promise.all([
    import('../adapters/outbound/smtp/smtp-client.ts'),
    import('../adapters/outbound/smtp/mail-notifier.ts'),
  ])
  const client = createSmtpClient(server, needs)
  const { perSecond, connections: maxAtOnce } = config.smtp
  const sender = mailSender(createMailNotifier(client), { ...needs, rate: { perSecond, maxAtOnce } })
  return {
    sender,
    client,
    close() {
      sender.close()
      client.close()
    },
  }
}
