import SMTPConnection from 'nodemailer/lib/smtp-connection'

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
}

/** A server that answers with more is none. */
const MAX_RESPONSE_BYTES = 64 * 1024
/** How long a server may take to close a connection that we have ended. */
const CLOSE_MS = 1000

/** A connection to the server, not yet opened. `timeoutMs`: for each of its steps. */
export const connectionTo = ({ host, port, security, ca }: MailServer, timeoutMs: number): SMTPConnection =>
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
  })
