import type { TalkEvent } from '../../core/incident/talk.ts'

/** Announces each line of a talk to all followers, in this process and, by notices, in the others. */
export type TalkFeed = {
  /** Calls `listener`, which must not wait or throw, with every line from now on. */
  follow(listener: (said: TalkEvent) => void): void
  tell(said: TalkEvent): void
}

export function createTalkFeed(): TalkFeed {
  const listeners: ((said: TalkEvent) => void)[] = []
  return {
    follow: (listener) => void listeners.push(listener),
    tell(said) {
      for (const listener of listeners) listener(said)
    },
  }
}
