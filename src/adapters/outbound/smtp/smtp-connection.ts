import type { Socket } from 'node:net'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { type AddressGuard, guardedSocket } from '../http/guarded-socket.ts'

/**
 * A mail server. `security`: TLS from the first byte, STARTTLS before the login, or none. `ca`: in PEM, trusted besides
 * the system's.
 */
export type MailServer = {
  readonly host: string
  readonly port: number
  readonly security: 'tls' | 'starttls' | 'none'
  readonly login: { readonly user: string; readonly pass: string } | null
  readonly from: { readonly name: string; readonly address: string }
  readonly ca?: string
  /** For an address that the file does not name. Absent, null: it is called wherever it is. */
  readonly guard?: AddressGuard | null
}

export type SmtpConnection = SMTPConnection

/** A longer answer does not come from a mail server. */
const MAX_RESPONSE_BYTES = 64 * 1024
/** How long a server may take to close a connection that we have ended. */
const CLOSE_MS = 1000

/**
 * Makes a connection to the server, and gives it to `use`, not yet opened. `timeoutMs`: for each of its steps.
 * `failed`: the server was not reached. What it returns ends the connection at once.
 */
export function connectionTo(
  server: MailServer,
  timeoutMs: number,
  { use, failed }: { readonly use: (connection: SMTPConnection) => void; readonly failed: (error: Error) => void },
): () => void {
  const { guard = null } = server
  if (guard === null) {
    const connection = over(server, timeoutMs)
    use(connection)
    return () => connection.close()
  }
  const socket = guardedSocket(server, guard)
  let connection: SMTPConnection | null = null
  socket.once('error', failed)
  socket.once('connect', () => {
    socket.off('error', failed)
    connection = over(server, timeoutMs, socket)
    use(connection)
  })
  return () => {
    if (connection !== null) return connection.close()
    // Its error has been reported, or nobody waits for it.
    socket.on('error', () => {}).destroy()
  }
}

/** `connection`: already open. */
const over = ({ host, port, security, ca }: MailServer, timeoutMs: number, connection?: Socket): SMTPConnection =>
  new SMTPConnection({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    tls: { minVersion: 'TLSv1.2', ...(ca !== undefined && { ca }) },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    socketCloseTimeout: CLOSE_MS,
    maxResponseSize: MAX_RESPONSE_BYTES,
    ...(connection !== undefined && { connection }),
  })
