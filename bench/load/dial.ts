import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectSecure } from 'node:tls'

const host = '127.0.0.1'

/** Connects to a port of this machine. Bytes written before the handshakes are done are sent after them. */
export type Dial = (port: number) => Socket

export const plain: Dial = (port) => connectPlain({ port, host, noDelay: true })

/**
 * Over TLS, with a full handshake each time. The certificate is not verified: that would only cost the client, which
 * shares the processor with what is measured.
 */
export const secure: Dial = (port) => connectSecure({ port, host, rejectUnauthorized: false }).setNoDelay(true)
