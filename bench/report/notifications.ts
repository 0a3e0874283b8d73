import type { NotificationFigures } from '../measurements/notifications.ts'
import { ms, spreadCells, table, whole } from './text.ts'

export function formatNotifications(runs: readonly NotificationFigures[]): string[] {
  const [first] = runs
  return [
    '',
    `How late each incident's first SMS comes to a provider that takes ${first!.answerMs} ms for one, ${whole(first!.incidents)} incidents with three contacts`,
    ...table([
      ['account', 'opened within', 'first SMS', 'p50', 'p99', 'max', 'mean queue wait', 'still waiting'],
      ...runs.map(({ name, openedWithinMs, begun, latenessMs, waiting, queueWaitMs }) => [
        name,
        ms(openedWithinMs),
        whole(begun),
        ...spreadCells(latenessMs),
        ms(queueWaitMs),
        whole(waiting),
      ]),
    ]),
  ]
}
