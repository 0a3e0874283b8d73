/**
 * A listener that does nothing, one for all sockets: a closure for each would live as long as its socket, and keep the
 * scope in which it was made.
 */
export const ignore = (): void => {}
