/** One of many: the code that is sent, the name that is shown, and what else it is found by. */
export type Choice = { readonly code: string; readonly name: string; readonly also?: string }

/** For comparing: without case, accents and what stands between words. */
const folded = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** The choices in which each typed word begins a word, in their order. Nothing typed: all of them. */
export function found(choices: readonly Choice[], typed: string): readonly Choice[] {
  const words = folded(typed).split(' ')
  return choices.filter(({ code, name, also = '' }) => {
    const text = ` ${folded(`${name} ${code} ${also}`)}`
    return words.every((word) => text.includes(` ${word}`))
  })
}

/** The choice whose name or code is typed in full. */
export function named(choices: readonly Choice[], typed: string): Choice | undefined {
  const text = folded(typed)
  return choices.find(({ code, name }) => folded(code) === text || folded(name) === text)
}
