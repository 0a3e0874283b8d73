/** A document of the on-call list. */
const documentCalled = (name: 'list' | 'watch'): string => `SELECT document FROM on_call WHERE name = '${name}'`

/** The on-call list: at most one row. */
export const ON_CALL = documentCalled('list')
/** SQL for the people on it whose accounts are disabled. `people`: a statement for their ids. */
export const disabledAmong = (people: string): string => `SELECT id FROM operators WHERE disabled AND id IN (${people})`
/** When an operator last had the board open: at most one row, too. */
export const BOARD_WATCH = documentCalled('watch')
