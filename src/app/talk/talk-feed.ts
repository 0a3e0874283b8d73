import type { TalkEvent } from '../../core/incident/talk.ts'

/** Announces each line of a talk to all followers, in this process and, by notices, in the others. */
export type TalkFeed = {
  /** Calls `listener`, which must not wait or throw, with every line from now on. */
  follow(listener: (said: TalkEvent) => void): void
  /** Likewise, with the lines that this process alone has stored: what one process is to do for each line. */
  followOwn(listener: (said: TalkEvent) => void): void
  /** A line that this process has stored. */
  tell(said: TalkEvent): void
  /** A line that another process has stored. */
  hear(said: TalkEvent): void
}

export function createTalkFeed(): TalkFeed {
  const listeners: ((said: TalkEvent) => void)[] = []
  const own: ((said: TalkEvent) => void)[] = []
  const hear = (said: TalkEvent): void => {
    for (const listener of listeners) listener(said)
  }
  return {
    follow: (listener) => void listeners.push(listener),
    followOwn: (listener) => void own.push(listener),
    tell(said) {
      hear(said)
      for (const listener of own) listener(said)
    },
    hear,
  }
}
