import { GROUNDS, markOf } from '../logic/mark.ts'

const drawing = { __html: markOf(GROUNDS.calm) }

/** The mark of the program. */
export const Mark = () => <svg viewBox="0 0 64 64" aria-hidden="true" dangerouslySetInnerHTML={drawing} />
