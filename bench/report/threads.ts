import type { Repeated } from '../statistics.ts'
import { micros } from './text.ts'

type Threads = Readonly<Record<string, Repeated>>

/** What each kind of thread takes, the busiest first, without those that take next to nothing. */
export const threadText = (threads: Threads | null): string =>
  Object.entries(threads ?? {})
    .map(([name, { median }]) => ({ name, median }))
    .filter(({ median }) => median >= 0.05)
    .sort((one, other) => other.median - one.median)
    .map(({ name, median }) => `${name} ${micros(median)}`)
    .join(', ')
