import type { MailClient } from '../adapters/outbound/smtp/smtp-client.ts'
import { type MailSender, mailSender } from '../app/sending/mail-sender.ts'
import { mailServerOf } from '../config/mail-server.ts'
import type { Config } from '../config.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Meter } from '../ports/meter.ts'
import type { TurnStore } from '../ports/node-store.ts'

/** The mail server: `sender` for contacts, in a lane; `client` for everything else. */
type SiteMail = { readonly sender: MailSender; readonly client: MailClient; close(): void }

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
