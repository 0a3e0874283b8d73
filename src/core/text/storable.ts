/** Text that every store keeps as it was sent: SQLite alters a lone surrogate, and PostgreSQL fails over a NUL. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

export const NOT_STORABLE = 'must not contain lone surrogates or NUL characters'
