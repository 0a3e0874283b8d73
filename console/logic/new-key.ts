/** The sender's own name for something written: sent again, it is the same. Pages without TLS lack `randomUUID`. */
export const newKey = (): string =>
  crypto.randomUUID?.() ?? [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(36)).join('-')
