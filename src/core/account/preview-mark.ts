import { createHash } from 'node:crypto'

/** Marks what a preview says, piece by piece: two marks are equal only if all that was said is. */
export function previewMark(): { readonly add: (said: unknown) => void; readonly value: () => string } {
  const hash = createHash('sha256')
  return {
    add: (said) => void hash.update(`${JSON.stringify(said)}\n`),
    value: () => hash.copy().digest('base64url'),
  }
}
