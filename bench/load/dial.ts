import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectSecure } from 'node:tls'

const host = '127.0.0.1'

/** How a client reaches a port of this machine. What is written before the handshakes are done follows them. */
export type Dial = (port: number) => Socket

export const plain: Dial = (port) => connectPlain({ port, host, noDelay: true })

/**
 * Over TLS, with a full handshake each time. The certificate is not looked at: that would cost the client alone, which
 * shares the processor with what is measured.
 */
export const secure: Dial = (port) => connectSecure({ port, host, rejectUnauthorized: false }).setNoDelay(true)
