/** The actions of single keys. `take`, `note` and `end` lead to the place of the act: none of them acts. */
export type KeyAct = 'next' | 'previous' | 'take' | 'note' | 'end' | 'search' | 'board' | 'history' | 'back' | 'help'

const acts: Readonly<Record<string, KeyAct>> = {
  j: 'next',
  ArrowDown: 'next',
  k: 'previous',
  ArrowUp: 'previous',
  t: 'take',
  n: 'note',
  e: 'end',
  '/': 'search',
  Escape: 'back',
  '?': 'help',
}
const afterG: Readonly<Record<string, KeyAct>> = { b: 'board', h: 'history' }
const PATIENCE_MS = 1500

type Pressed = { readonly key: string } & Readonly<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'repeat', boolean>>

/** Reads keys one by one; `g` waits for the next one. Null: the key does nothing. `now`: any steady clock, ms. */
export function keyReader() {
  let leaderAt: number | null = null
  return ({ key, ctrlKey, metaKey, altKey, repeat }: Pressed, now: number): KeyAct | null => {
    if (ctrlKey || metaKey || altKey) return null
    const isSecond = leaderAt !== null && now - leaderAt <= PATIENCE_MS
    leaderAt = null
    if (isSecond && Object.hasOwn(afterG, key)) return afterG[key]!
    if (key === 'g') {
      leaderAt = now
      return null
    }
    const act = Object.hasOwn(acts, key) ? acts[key]! : null
    // A key that is held down moves on, and does nothing else.
    return repeat && act !== 'next' && act !== 'previous' ? null : act
  }
}
