import { SECOND } from '../../../lib/durations.ts'
import { connectionTo, type MailServer, type SmtpConnection } from './smtp-connection.ts'
import { smtpFailure } from './smtp-failure.ts'

const WITHIN_MS = 6 * SECOND

/**
 * Connects and logs in as for a mail, and sends none. Resolves with the failure text, null if the server accepts the
 * login. Never rejects.
 */
export function checkLogin(server: MailServer): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>()
  const timer = setTimeout(() => resolve('connection timeout'), WITHIN_MS)
  const fail = (error: unknown): void => {
    const { outcome } = smtpFailure(error, false)
    resolve('error' in outcome && outcome.error !== undefined ? outcome.error : 'connection failed')
  }
  const use = (connection: SmtpConnection): void => {
    /** Says goodbye: a server may count a connection that just breaks off as an attack. */
    const done = (): void => {
      connection.quit()
      resolve(null)
    }
    const refused = (error: unknown): void => {
      connection.quit()
      fail(error)
    }
    connection.on('error', fail)
    connection.connect((error) => {
      if (error) return fail(error)
      const { login } = server
      if (login === null) return done()
      connection.login({ ...login, credentials: login }, (error) => (error ? refused(error) : done()))
    })
  }
  const end = connectionTo(server, WITHIN_MS, { use, failed: fail })
  return promise.finally(() => {
    clearTimeout(timer)
    end()
  })
}
