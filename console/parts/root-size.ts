/** The px of a rem: more on a large screen, or where a reader has chosen larger letters. */
export const rootSize = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
