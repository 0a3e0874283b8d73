/**
 * A listener that does nothing. One for all sockets: one made for each would stay as long as its socket does, together
 * with everything that there was where it was made.
 */
export const ignore = (): void => {}
